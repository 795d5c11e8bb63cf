"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, Result, call, elements, terms_of

FUNCTIONS = ["EmbeddingBag"]


def check(client, rng, worst, name):
    dtype, mode = rng.choice(FLOATS), rng.randrange(3)
    rows, width, count, bags = rng.randint(1, 40), rng.randint(1, 300), rng.randint(1, 60), rng.randint(1, 8)
    with_last = rng.random() < 0.5
    padding = rng.randrange(rows) if rng.random() < 0.5 else -1
    weight = elements([rows, width], dtype)
    indices = torch.randint(0, rows, [count])
    offsets = [0, *sorted(rng.randint(0, count) for _ in range(bags - 1)), *([count] if with_last else [])]
    offsets = torch.tensor(offsets)
    factors = elements([count], dtype) if mode == 0 and rng.random() < 0.5 else None

    def bag(table, scales):
        # PyTorch counts a padding below 0 from the end.
        return torch.embedding_bag(table, indices, offsets, False, mode, False, scales, with_last,
                                   None if padding < 0 else padding)

    scales = None if factors is None else factors.double()
    output, _, sizes, largest = bag(weight.double(), scales)
    terms = terms_of(bag(weight.double().abs(), None if scales is None else scales.abs())[0])
    bounds = offsets.tolist() + ([] if with_last else [count])
    bag_of = torch.tensor([b for b in range(bags) for _ in range(bounds[b], bounds[b + 1])])
    sizes = torch.tensor([int((indices[bounds[b]:bounds[b + 1]] != padding).sum()) for b in range(bags)])
    if mode != 2:
        largest = torch.zeros(bags)
    kind = rng.choice([torch.int64, torch.int32])
    call(client, rng, worst, name, weight, indices.to(kind), offsets.to(kind), False, mode, False, factors, with_last,
         padding, Result(output, dtype, terms, exact=mode == 2), Result(bag_of.to(kind), exact=True),
         Result(sizes.to(kind), exact=True), Result(largest.to(kind), exact=True), about=f"mode {mode}")

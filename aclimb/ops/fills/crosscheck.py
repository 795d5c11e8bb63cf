"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import ELEMENTS, Result, call, elements, shape_of, wide


def one_hot(rng):
    dtype, shape, classes = rng.choice([torch.float32, torch.float16, torch.int32, torch.int64]), shape_of(rng), rng.randint(1, 9)
    self, axis = torch.randint(0, classes, shape), rng.randrange(-1, len(shape) + 1)
    on, off = elements([rng.choice([1])], dtype), elements(rng.choice([[], [1]]), dtype)
    hot = torch.nn.functional.one_hot(self, classes).movedim(-1, axis).bool()
    expected = torch.where(hot, wide(on), wide(off)).to(dtype)
    return [self.to(rng.choice([torch.int64, torch.int32])), ctypes.c_int(classes), on, off, axis,
            Result(expected, exact=True)]


def check(client, rng, worst):
    name = rng.choice(["InplaceZero", "InplaceOne", "InplaceFillScalar", "InplaceFillTensor", "Eye", "OneHot"])
    if name == "OneHot":
        return call(client, rng, worst, name, *one_hot(rng))
    # As documented, uint8 apart.
    kinds = {"Eye": [kind for kind in ELEMENTS if kind != torch.float64],
             "InplaceZero": ELEMENTS}.get(name, ELEMENTS)
    dtype = rng.choice(kinds)
    if name == "Eye":
        rows, columns = rng.randint(0, 40), rng.randint(0, 40)
        return call(client, rng, worst, name, rows, columns, Result(torch.eye(rows, columns).to(dtype), exact=True))
    self = elements(shape_of(rng), dtype)
    if name in ("InplaceZero", "InplaceOne"):
        value, passed = int(name == "InplaceOne"), []
    elif name == "InplaceFillScalar":
        value = rng.choice([0.1, -2.7] if dtype.is_floating_point else [0, 1, 100])
        passed = [client.scalar(value)]
    else:
        # Whole numbers that all dtypes have.
        value = torch.randint(0, 100, rng.choice([[], [1]])).to(rng.choice(ELEMENTS))
        passed = [value]
    return call(client, rng, worst, name, Result(self.clone().fill_(value if not torch.is_tensor(value) else value.view([])),
                                                 exact=True, before=self), *passed)

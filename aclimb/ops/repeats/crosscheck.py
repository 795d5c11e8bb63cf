"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, run, shape_of


def check(client, rng, worst):
    dtype, shape = rng.choice([*FLOATS, torch.int64, torch.int8]), shape_of(rng, ranks=(1, 4), longest=12)
    repeats = [rng.randint(1, 3) for _ in range(len(shape) + rng.randint(0, 1))]
    value = torch.randint(-100, 100, shape).to(dtype)
    run(client, rng, worst, "Repeat", [value, lambda: client.ints(repeats)], list(value.repeat(repeats).shape),
        lambda x: x.repeat(repeats), exact=True)

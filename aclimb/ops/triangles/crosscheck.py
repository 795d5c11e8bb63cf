"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import FLOATS, run, shape_of

CALLS = {"Tril": torch.tril, "Triu": torch.triu}


def check(client, rng, worst):
    name = rng.choice(sorted(CALLS))
    dtype, shape = rng.choice([*FLOATS, torch.int64, torch.int8]), shape_of(rng, ranks=(2, 4))
    diagonal = rng.randint(-8, 8)
    run(client, rng, worst, name, [torch.randint(-100, 100, shape).to(dtype), lambda: ctypes.c_int64(diagonal)], shape,
        lambda x: CALLS[name](x, diagonal), exact=True)

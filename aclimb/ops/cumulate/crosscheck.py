"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from aclimb_client import DTYPES
from problem import FLOATS, run, shape_of

CALLS = {"Cumsum": torch.cumsum, "Cumprod": torch.cumprod}


def check(client, rng, worst):
    name = rng.choice(sorted(CALLS))
    dtype, shape = rng.choice(FLOATS), shape_of(rng, ranks=(1, 4))
    dim = rng.randrange(len(shape))
    value = torch.randn(shape)
    if name == "Cumprod":  # Products of these stay where float16 has numbers.
        value = value.sign() * (1 + value.abs() / 64)
    value = value.to(dtype)
    passed = ctypes.c_int64(dim) if name == "Cumsum" else client.scalar(dim)
    run(client, rng, worst, name, [value, lambda: passed, lambda: ctypes.c_int32(DTYPES[dtype])], shape,
        lambda x: CALLS[name](x, dim), scale=CALLS[name](value.abs().double(), dim) * 256)

"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import FLOATS, reduced, run, shape_of, terms_of

CALLS = {"VarCorrection": torch.var, "Std": torch.std}


def check(client, rng, worst):
    name = rng.choice(sorted(CALLS))
    dtype, shape = rng.choice(FLOATS), shape_of(rng, ranks=(1, 4))
    dims = rng.sample(range(len(shape)), rng.randint(1, len(shape)))
    correction, keep = rng.choice([0, 1]), rng.random() < 0.5
    # Of a single element nothing is left to divide by.
    if torch.Size([shape[d] for d in dims]).numel() == 1:
        correction = 0
    value = (torch.randn(shape) + rng.choice([0.0, 3.0])).to(dtype)
    out = reduced(shape, dims, keep)

    def function(x):
        # PyTorch before 2.0 takes no correction.
        return CALLS[name](x, dims, unbiased=correction == 1, keepdim=keep)

    passed = [lambda: client.ints(dims), lambda: ctypes.c_int64(correction), lambda: ctypes.c_bool(keep)]
    run(client, rng, worst, name, [value, *passed], out, function, scale=terms_of(function(value.double()), torch.ones(())))

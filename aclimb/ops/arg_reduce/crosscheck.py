"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import FLOATS, reduced, run, shape_of

CALLS = {"ArgMax": torch.argmax, "ArgMin": torch.argmin}


def check(client, rng, worst):
    name = rng.choice(sorted(CALLS))
    dtype, shape = rng.choice(FLOATS), shape_of(rng, ranks=(1, 4))
    dim, keep = rng.randrange(len(shape)), rng.random() < 0.5
    # Some elements are equal: the first of them counts, as PyTorch's does on a CPU.
    value = torch.randint(-100, 100, shape).to(dtype)
    out = reduced(shape, [dim], keep)
    run(client, rng, worst, name, [value, lambda: ctypes.c_int64(dim), lambda: ctypes.c_bool(keep)], out,
        lambda x: CALLS[name](x, dim, keepdim=keep), exact=True, result=torch.int64)

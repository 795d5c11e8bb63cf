"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from aclimb_client import DTYPES
from problem import FLOATS, reduced, run, shape_of


def product(x, dims, keep):
    for dim in sorted(dims, reverse=True):
        x = torch.prod(x, dim, keepdim=keep)
    return x


CALLS = {
    "ReduceSum": lambda x, dims, keep: torch.sum(x, dims, keepdim=keep),
    "Mean": lambda x, dims, keep: torch.mean(x, dims, keepdim=keep),
    "Amax": lambda x, dims, keep: torch.amax(x, dims, keepdim=keep),
    "Amin": lambda x, dims, keep: torch.amin(x, dims, keepdim=keep),
    "LogSumExp": lambda x, dims, keep: torch.logsumexp(x, dims, keepdim=keep),
    "ProdDim": product,
}


def check(client, rng, worst):
    name = rng.choice(sorted(CALLS))
    dtype, shape = rng.choice(FLOATS), shape_of(rng, ranks=(1, 4))
    count = 1 if name == "ProdDim" else rng.randint(1, len(shape))
    dims, keep = rng.sample(range(len(shape)), count), rng.random() < 0.5
    value = (torch.randn(shape) * (1.25 if name == "ProdDim" else 2)).to(dtype)
    result = reduced(shape, dims, keep)
    passed = [lambda: ctypes.c_int64(dims[0]) if name == "ProdDim" else client.ints(dims),
              lambda: ctypes.c_bool(keep)]
    if name in ("ReduceSum", "Mean", "ProdDim"):
        passed.append(lambda: ctypes.c_int32(DTYPES[dtype]))
    function = CALLS[name]
    scale = function(value.abs().double(), dims, keep).abs() * 256
    if name in ("Amax", "Amin"):
        scale = torch.zeros(())
    run(client, rng, worst, name, [value, *passed], result, lambda x: function(x, dims, keep), scale=scale)

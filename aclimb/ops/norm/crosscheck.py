"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from aclimb_client import DTYPES
from problem import FLOATS, reduced, run, shape_of

FUNCTIONS = ["Norm", "LinalgVectorNorm"]


def check(client, rng, worst, name):
    dtype, shape = rng.choice(FLOATS), shape_of(rng, ranks=(1, 4))
    order = rng.choice([0.0, 1.0, 2.0, 3.0, float("inf"), float("-inf")])
    dims, keep = rng.sample(range(len(shape)), rng.randint(1, len(shape))), rng.random() < 0.5
    value = torch.randn(shape).to(dtype)
    out = reduced(shape, dims, keep)
    passed = [lambda: client.scalar(order), lambda: client.ints(dims), lambda: ctypes.c_bool(keep)]
    if name == "LinalgVectorNorm":
        passed.append(lambda: ctypes.c_int32(DTYPES[dtype]))
    run(client, rng, worst, name, [value, *passed], out,
        lambda x: torch.linalg.vector_norm(x, order, dim=dims, keepdim=keep))

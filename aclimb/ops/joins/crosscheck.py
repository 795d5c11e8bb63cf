"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from comparison import view_of
from problem import FLOATS, run, shape_of


def check(client, rng, worst):
    name = rng.choice(["Cat", "Stack"])
    dtype, shape = rng.choice([*FLOATS, torch.int64, torch.int8]), shape_of(rng, ranks=(1, 4))
    dim = rng.randrange(len(shape) + (name == "Stack"))
    parts = []
    for _ in range(rng.randint(1, 5)):
        extents = [rng.randint(0, 5) if name == "Cat" and d == dim else extent for d, extent in enumerate(shape)]
        parts.append(torch.randint(-100, 100, extents).to(dtype))
    expected = (torch.cat if name == "Cat" else torch.stack)(parts, dim)
    passed = [client.tensor(view_of(part, rng)) for part in parts]
    run(client, rng, worst, name, [lambda: client.tensors(passed), lambda: ctypes.c_int64(dim)], list(expected.shape),
        lambda: expected, exact=True, result=dtype)

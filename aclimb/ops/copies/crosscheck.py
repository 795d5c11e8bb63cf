"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from aclimb_client import DTYPES
from problem import FLOATS, run, shape_of

TYPES = [*FLOATS, torch.int64, torch.int32, torch.int16, torch.int8, torch.bool]


def check(client, rng, worst):
    name = rng.choice(["Cast", "Permute"])
    dtype, shape = rng.choice(TYPES), shape_of(rng, ranks=(0 if name == "Cast" else 1, 5))
    value = torch.randint(0 if dtype == torch.bool else -100, 2 if dtype == torch.bool else 100, shape).to(dtype)
    if name == "Cast":
        to = rng.choice(TYPES)
        run(client, rng, worst, name, [value, lambda: ctypes.c_int32(DTYPES[to])], shape,
            lambda x: value.to(to), exact=True, result=to)
        return
    order = rng.sample(range(len(shape)), len(shape))
    run(client, rng, worst, name, [value, lambda: client.ints(order)], [shape[d] for d in order],
        lambda x: x.permute(order), exact=True)

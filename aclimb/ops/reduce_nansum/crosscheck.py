"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from aclimb_client import DTYPES
from problem import FLOATS, Result, call, elements, shape_of, wide

FUNCTIONS = ["ReduceNansum"]


def check(client, rng, worst, name):
    dtype, shape = rng.choice([*FLOATS, torch.int64, torch.int32, torch.int8]), shape_of(rng)
    result = rng.choice(FLOATS[:1] + [dtype]) if dtype.is_floating_point else torch.int64
    self = elements(shape, dtype)
    if dtype.is_floating_point:
        self[torch.rand(shape) < 0.2] = float("nan")
    dims, keep = rng.sample(range(len(shape)), rng.randint(0, len(shape))), rng.random() < 0.5
    # No dimensions mean all, which PyTorch is told.
    every = dims or list(range(len(shape)))
    total = lambda x: torch.nansum(x, every, keepdim=keep) if shape else torch.nansum(x)  # noqa: E731
    call(client, rng, worst, name, self, dims, keep, ctypes.c_int(DTYPES[result]),
         Result(total(wide(self)), result, total(self.double().abs()) * 256, exact=not dtype.is_floating_point))

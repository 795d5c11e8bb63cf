"""One random problem of the operator, by Aclimb and by its documents; tests/crosscheck runs many."""

import ctypes
import math

import torch

from aclimb_client import DTYPES
from comparison import Mismatch
from problem import Result, call, elements

FUNCTIONS = ["TransMatmulWeight"]


def check(client, rng, worst, name):
    dtype = rng.choice([torch.float16, torch.bfloat16, torch.int8])
    shape = [rng.randint(1, 40) for _ in range(rng.randint(2, 6 if dtype == torch.int8 and rng.random() < 0.5 else 2))]
    if len(shape) > 2:
        shape = [min(extent, 5) for extent in shape]
    # What products read is the weight as it was.
    self = elements(shape, dtype)
    call(client, rng, worst, name, Result(self, exact=True, before=self))
    last = 32 if dtype == torch.int8 else 16
    expected = math.prod(shape[:-2]) * -(-shape[-2] // 16) * 16 * -(-shape[-1] // last) * last
    names = ["aclnnCalculateMatmulWeightSizeV2"] + (["aclnnCalculateMatmulWeightSize"] if last == 16 else [])
    for of_size in names:
        size = ctypes.c_uint64()
        kind = [DTYPES[dtype]] if of_size.endswith("V2") else []
        client.check(getattr(client.lib, of_size)(client.ints(shape), *kind, ctypes.byref(size)), of_size)
        if size.value != expected:
            raise Mismatch(f"{of_size} {shape} {dtype}: {size.value}, expected {expected}")

"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from aclimb_client import DTYPES
from problem import ELEMENTS, FLOATS, Result, call, elements, plain, run, shape_of, some_dim

CALLS = {"Cumsum": torch.cumsum, "Cumprod": torch.cumprod}
EXTREMES = {"Cummax": torch.cummax, "Cummin": torch.cummin}
FUNCTIONS = [*CALLS, "InplaceCumprod", *EXTREMES]


def extreme(client, rng, worst, name):
    """Of every dtype, with places: PyTorch's are the last of equal elements, as documented."""
    dtype, shape = rng.choice(ELEMENTS), shape_of(rng)
    self = elements(shape, dtype) if rng.random() < 0.5 else torch.randint(0, 4, shape).to(dtype)
    if dtype.is_floating_point and rng.random() < 0.3:
        self[torch.rand(shape) < 0.1] = float("nan")
    dim, given = some_dim(rng, len(shape))
    # PyTorch has neither on half types.
    values, places = EXTREMES[name](self.float() if dtype in FLOATS else self, dim)
    call(client, rng, worst, name, self, given, Result(values.to(dtype), exact=True),
         Result(places, rng.choice([torch.int64, torch.int32]), exact=True))


def check(client, rng, worst, name):
    if name in EXTREMES:
        return extreme(client, rng, worst, name)
    function = CALLS[plain(name)]
    dtype, shape = rng.choice(FLOATS), shape_of(rng, ranks=(1, 4))
    dim = rng.randrange(len(shape))
    value = torch.randn(shape)
    if function is torch.cumprod:  # Products of these stay where float16 has numbers.
        value = value.sign() * (1 + value.abs() / 64)
    value = value.to(dtype)
    passed = ctypes.c_int64(dim) if name == "Cumsum" else client.scalar(dim)
    behind = [] if name.startswith("Inplace") else [lambda: ctypes.c_int32(DTYPES[dtype])]
    return run(client, rng, worst, name, [value, lambda: passed, *behind], shape, lambda x: function(x, dim),
               scale=function(value.abs().double(), dim) * 256)

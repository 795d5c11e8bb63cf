"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from aclimb_client import DTYPES
from problem import ELEMENTS, FLOATS, INTEGERS, Result, call, elements, reduced, run, shape_of, wide


def product(x, dims, keep):
    for dim in sorted(dims, reverse=True):
        x = torch.prod(x, dim, keepdim=keep)
    return x


CALLS = {
    "ReduceSum": lambda x, dims, keep: torch.sum(x, dims, keepdim=keep),
    "Mean": lambda x, dims, keep: torch.mean(x, dims, keepdim=keep),
    "MeanV2": lambda x, dims, keep: torch.mean(x, dims, keepdim=keep),
    "Amax": lambda x, dims, keep: torch.amax(x, dims, keepdim=keep),
    "Amin": lambda x, dims, keep: torch.amin(x, dims, keepdim=keep),
    "LogSumExp": lambda x, dims, keep: torch.logsumexp(x, dims, keepdim=keep),
    "ProdDim": product,
}
# Results that are elements, or say something of all: of every dtype, and exact.
EXACT = ["All", "Any", "Max", "Min", "Aminmax", "AminmaxAll", "AminmaxDim"]
FUNCTIONS = [*CALLS, "Prod", *EXACT]


def one_number(rng):
    """Prod: of few numbers, so that whole ones stay exact."""
    dtype, shape = rng.choice([*FLOATS, *INTEGERS[:2]]), shape_of(rng, longest=7)
    self = (torch.randn(shape) * 1.25).to(dtype) if dtype.is_floating_point else torch.randint(-1, 2, shape).to(dtype)
    whole = not dtype.is_floating_point
    if whole and rng.random() < 0.5:
        self[self == 0] = 1
    result = torch.prod(wide(self))
    return [self, ctypes.c_int32(DTYPES[dtype]), Result(result.view(rng.choice([[], [1]])), dtype, result.abs() * 256,
                                                       exact=whole)]


def exactly(rng, name):
    self = elements(shape_of(rng), rng.choice(ELEMENTS))
    if self.dtype.is_floating_point and rng.random() < 0.3:
        self[torch.rand(self.shape) < 0.1] = float("nan")
    # Often all are true or none.
    if name in ("All", "Any") and rng.random() < 0.6:
        same = torch.full_like(self, name == "All")
        self = torch.where(torch.rand(self.shape) < rng.choice([0.02, 0.98]), self, same)
    rank, keep = self.dim(), rng.random() < 0.5
    of_all = name in ("Max", "Min", "AminmaxAll")
    least = 1 if name == "AminmaxDim" else 0
    dims = list(range(rank)) if of_all else rng.sample(range(rank), rng.randint(min(least, rank), rank))
    dims = dims[:1] if name == "AminmaxDim" else dims
    every, values = dims or list(range(rank)), wide(self) if self.dtype != torch.bool else self.byte()
    if name in ("All", "Any"):
        found = torch.amin(self != 0, every, keep) if name == "All" else torch.amax(self != 0, every, keep)
        result = rng.choice([torch.bool, torch.uint8])
        return [self, dims, keep, Result(found, result, exact=True)]
    keep = keep and not of_all
    both = [Result(of(values, every, keep).to(self.dtype), exact=True) for of in (torch.amin, torch.amax)]
    if name in ("Max", "Min"):
        return [self, both[name == "Max"]]
    if name == "AminmaxAll":
        return [self, *both]
    return [self, (dims[0] if dims else 0) if name == "AminmaxDim" else dims, keep, *both]


def check(client, rng, worst, name):
    if name == "Prod":
        return call(client, rng, worst, name, *one_number(rng))
    if name in EXACT:
        return call(client, rng, worst, name, *exactly(rng, name))
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
    if name == "MeanV2":
        none, stays = rng.random() < 0.3, rng.random() < 0.5
        passed = [lambda: client.ints([] if none else dims), lambda: ctypes.c_bool(keep), lambda: ctypes.c_bool(stays)]
        if none:
            dims = [] if stays else list(range(len(shape)))
            result = reduced(shape, dims, keep)
            function = (lambda x, dims, keep: x) if stays else function
    scale = function(value.abs().double(), dims, keep).abs() * 256
    if name in ("Amax", "Amin"):
        scale = torch.zeros(())
    return run(client, rng, worst, name, [value, *passed], result, lambda x: function(x, dims, keep), scale=scale)

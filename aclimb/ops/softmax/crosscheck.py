"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import FLOATS, run, shape_of


def gradient(of):
    """The function (grad, output) that gives the input's gradient."""
    if of == "Softmax":
        return lambda g, y, dim: y * (g - torch.sum(g * y, dim, keepdim=True))
    return lambda g, y, dim: g - torch.exp(y) * torch.sum(g, dim, keepdim=True)


def check(client, rng, worst):
    of = rng.choice(["Softmax", "LogSoftmax"])
    function = {"Softmax": torch.softmax, "LogSoftmax": torch.log_softmax}[of]
    dtype, shape = rng.choice(FLOATS), shape_of(rng, ranks=(1, 4), longest=300)
    dim = rng.randrange(len(shape))
    value = (torch.randn(shape) * 3).to(dtype)
    passed = lambda: ctypes.c_int64(dim)  # noqa: E731
    if rng.random() < 0.5:
        return run(client, rng, worst, of, [value, passed], shape, lambda x: function(x, dim))
    grad = torch.randn(shape).to(dtype)
    output = function(value.double(), dim).to(dtype)
    return run(client, rng, worst, of + "Backward", [grad, output, passed], shape,
               lambda g, y: gradient(of)(g, y, dim) if g.dtype == torch.float64 else unsupported())


def unsupported():
    raise RuntimeError("the formula in halves or in float32 is no peer")

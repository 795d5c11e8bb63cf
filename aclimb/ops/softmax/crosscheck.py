"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import FLOATS, run, shape_of, terms_of

FUNCTIONS = ["Softmax", "LogSoftmax", "SoftmaxBackward", "LogSoftmaxBackward"]


def gradient(of):
    """The function (grad, output) that gives the input's gradient."""
    if of == "Softmax":
        return lambda g, y, dim: y * (g - torch.sum(g * y, dim, keepdim=True))
    return lambda g, y, dim: g - torch.exp(y) * torch.sum(g, dim, keepdim=True)


def check(client, rng, worst, name):
    of = name.removesuffix("Backward")
    function = {"Softmax": torch.softmax, "LogSoftmax": torch.log_softmax}[of]
    dtype, shape = rng.choice(FLOATS), shape_of(rng, ranks=(1, 4), longest=300)
    dim = rng.randrange(len(shape))
    value = (torch.randn(shape) * 3).to(dtype)
    passed = lambda: ctypes.c_int64(dim)  # noqa: E731
    if of == name:
        scale = terms_of(value) + 256 if of == "LogSoftmax" else None
        return run(client, rng, worst, of, [value, passed], shape, lambda x: function(x, dim), scale=scale)
    grad = torch.randn(shape).to(dtype)
    output = function(value.double(), dim).to(dtype)
    terms = grad.abs().double().sum(dim, keepdim=True)
    factor = output.abs().double() if of == "Softmax" else output.double().exp()
    # The formula above in halves or in float32 is no peer.
    return run(client, rng, worst, name, [grad, output, passed], shape,
               lambda g, y: gradient(of)(g, y, dim), scale=(grad.abs().double() + terms * factor) * 256, peer=False)

"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch
import torch.nn.functional as functional

from problem import FLOATS, Result, call, elements, gradients, shape_of, some_dim

FUNCTIONS = ["SwiGlu", "SwiGluGrad", "Glu", "GluBackward", "GeGlu", "GeGluV3"]


def swi_glu(x, dim):
    left, right = x.chunk(2, dim)
    return functional.silu(left) * right


def check(client, rng, worst, name):
    dtype = rng.choice(FLOATS + ([torch.float64] if name.startswith("Glu") else []))
    shape = shape_of(rng, ranks=(1, 4))
    dim, given = some_dim(rng, len(shape))
    shape[dim] *= 2
    self = elements(shape, dtype)
    if name.startswith("Ge"):
        form, left = rng.randrange(2), name == "GeGluV3" and rng.random() < 0.5
        halves = self.double().chunk(2, dim)
        gelu = functional.gelu(halves[0 if left else 1], approximate=["none", "tanh"][form])
        # Of the tails of gelu as many bits are right as of 1 + tanh.
        tail = halves[0 if left else 1].abs() * 2**-10
        other = halves[1 if left else 0]
        return call(client, rng, worst, name, self, given, form, *([left] if name == "GeGluV3" else []),
                    Result(gelu * other, dtype, (gelu * other).abs() + tail * other.abs()),
                    Result(gelu, dtype, gelu.abs() + tail))
    function = swi_glu if name.startswith("Swi") else functional.glu
    if name in ("SwiGlu", "Glu"):
        return call(client, rng, worst, name, self, given, Result(function(self.double(), dim), dtype))
    gradient, expected, _ = gradients(lambda x: function(x, dim), self)
    # The derivative of silu is a sum whose terms cancel near its minimum.
    terms = self.double().abs().add(1) * torch.cat([(gradient.double().abs() * half.double().abs().add(1))
                                                    for half in self.chunk(2, dim)], dim) * 256
    return call(client, rng, worst, name, gradient, self, given, Result(expected, dtype, terms))

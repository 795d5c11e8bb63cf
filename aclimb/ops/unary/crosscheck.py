"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch
import torch.nn.functional as functional

from problem import FLOATS, run, shape_of

CALLS = {
    "Abs": torch.abs, "Neg": torch.neg, "Exp": torch.exp, "Log": torch.log, "Sqrt": torch.sqrt,
    "Rsqrt": torch.rsqrt, "Reciprocal": torch.reciprocal, "Sin": torch.sin, "Cos": torch.cos,
    "Tanh": torch.tanh, "Sigmoid": torch.sigmoid, "Relu": torch.relu,
    "Gelu": lambda x: functional.gelu(x, approximate="tanh"), "Silu": functional.silu,
    "Mish": functional.mish, "Hardswish": functional.hardswish, "Hardsigmoid": functional.hardsigmoid,
    "Erf": torch.erf, "Floor": torch.floor, "Ceil": torch.ceil, "Round": torch.round,
    "Trunc": torch.trunc, "Sign": torch.sign, "Acos": torch.acos, "Acosh": torch.acosh,
    "Asin": torch.asin, "Asinh": torch.asinh, "Atan": torch.atan, "Atanh": torch.atanh,
    "Cosh": torch.cosh, "Sinh": torch.sinh, "Tan": torch.tan, "Erfc": torch.erfc,
    "Erfinv": torch.erfinv, "Expm1": torch.expm1, "Log1p": torch.log1p, "Log2": torch.log2,
    "Log10": torch.log10, "Exp2": torch.exp2,
}


def check(client, rng, worst):
    name = rng.choice(sorted(CALLS))
    shape = shape_of(rng)
    value = (torch.randn(shape) * rng.choice([0.3, 2, 6])).to(rng.choice(FLOATS))
    run(client, rng, worst, name, [value], shape, CALLS[name])

"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch
import torch.nn.functional as functional

from problem import ELEMENTS, FLOATS, INTEGERS, elements, plain, run, shape_of, with_twins

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
# Of all dtypes, with results of one.
TESTS = {"LogicalNot": torch.logical_not, "IsFinite": torch.isfinite, "Signbit": torch.signbit}
WITHOUT_TWIN = {"Abs", "Gelu", "Silu", "Sign", "IsFinite", "Signbit"}
ALL = [*CALLS, *TESTS]
FUNCTIONS = with_twins([*ALL, "BitwiseNot"], [name for name in ALL if name not in WITHOUT_TWIN])
# Of these integers too, as documented.
WHOLE = {"Abs": INTEGERS, "Neg": [torch.int64, torch.int32, torch.int8], "Relu": [torch.int64, torch.int32, torch.int8],
         "Sign": [torch.int64, torch.int32], "BitwiseNot": [*INTEGERS, torch.bool]}


def exactly(client, rng, worst, name, function):
    """Of integers, or a test of any dtype, whose result has one of its own."""
    kinds = ELEMENTS if plain(name) in TESTS else WHOLE[plain(name)]
    value = elements(shape_of(rng), rng.choice(kinds))
    if value.dtype.is_floating_point:
        for special in (0.0, -0.0, float("nan"), float("inf"), -float("inf")):
            value[torch.rand(value.shape) < 0.1] = special
    result = value.dtype
    if name in TESTS:
        result = torch.bool if name == "IsFinite" else rng.choice(ELEMENTS)
    run(client, rng, worst, name, [value], list(value.shape), lambda x: function(x).to(result), exact=True,
        result=result)


def check(client, rng, worst, name):
    if plain(name) in TESTS or name == "BitwiseNot" or (plain(name) in WHOLE and rng.random() < 0.3):
        return exactly(client, rng, worst, name, TESTS.get(plain(name)) or CALLS.get(plain(name), torch.bitwise_not))
    shape = shape_of(rng)
    value = (torch.randn(shape) * rng.choice([0.3, 2, 6])).to(rng.choice(FLOATS))
    return run(client, rng, worst, name, [value], shape, CALLS[plain(name)])

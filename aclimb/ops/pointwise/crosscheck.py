"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch
import torch.nn.functional as functional

from problem import (ELEMENTS, FLOATS, INTEGERS, Result, around, call, elements, part_of, plain, run, shape_of,
                     terms_of, with_twins)

aten = torch.ops.aten

# The name, how many tensors, the numbers behind them, and PyTorch's function of both.
CALLS = [
    ("Elu", 1, [0.75, 1.5, 0.5], lambda x, a, s, i: aten.elu(x, a, s, i)),
    ("LeakyRelu", 1, [0.125], lambda x, slope: functional.leaky_relu(x, slope)),
    ("Softplus", 1, [2.0, 3.0], lambda x, beta, threshold: functional.softplus(x, beta, threshold)),
    ("Threshold", 1, [0.25, -1.5], lambda x, t, v: functional.threshold(x, t, v)),
    ("Clamp", 1, [-0.5, 1.25], lambda x, low, high: torch.clamp(x, low, high)),
    ("ClampMin", 1, [0.25], lambda x, low: torch.clamp_min(x, low)),
    ("ClampMax", 1, [0.25], lambda x, high: torch.clamp_max(x, high)),
    ("Hardtanh", 1, [-0.5, 1.25], lambda x, low, high: functional.hardtanh(x, low, high)),
    ("Celu", 1, [0.75], lambda x, alpha: torch.celu(x, alpha)),
    ("Hardshrink", 1, [0.5], lambda x, bound: functional.hardshrink(x, bound)),
    ("LogSigmoid", 1, [], functional.logsigmoid),
    ("HardshrinkBackward", 2, [0.5], lambda g, x, bound: torch.where(x.abs() <= bound, torch.zeros_like(g), g)),
    ("SoftshrinkBackward", 2, [0.5], lambda g, x, bound: torch.where(x.abs() <= bound, torch.zeros_like(g), g)),
    ("ClampMinTensor", 2, [], torch.maximum),
    ("ClampMaxTensor", 2, [], torch.minimum),
    ("ClampTensor", 3, [], lambda x, low, high: torch.clamp(x, low, high)),
    ("Addcmul", 3, [0.5], lambda x, a, b, value: torch.addcmul(x, a, b, value=value)),
    ("Addcdiv", 3, [0.5], lambda x, a, b, value: torch.addcdiv(x, a, b, value=value)),
    ("Lerp", 3, [], torch.lerp),
    ("Lerps", 2, [0.375], lambda x, end, weight: torch.lerp(x, end, weight)),
    ("ThresholdBackward", 2, [0.25], lambda g, x, t: aten.threshold_backward(g, x, t)),
    ("GeluBackward", 2, [], lambda g, x: aten.gelu_backward(g, x, approximate="tanh")),
    ("TanhBackward", 2, [], lambda g, y: aten.tanh_backward(g, y)),
    ("SiluBackward", 2, [], lambda g, x: aten.silu_backward(g, x)),
    ("SoftplusBackward", 2, [2.0, 3.0], lambda g, x, beta, threshold: aten.softplus_backward(g, x, beta, threshold)),
    ("SigmoidBackward", 2, [], lambda g, y: aten.sigmoid_backward(g, y)),
    ("HardswishBackward", 2, [], lambda g, x: aten.hardswish_backward(g, x)),
    ("HardsigmoidBackward", 2, [], lambda g, x: aten.hardsigmoid_backward(g, x)),
    # No value lies on these bounds, where the documented gradient is the output's, and PyTorch's 0.
    ("HardtanhBackward", 2, [-0.51, 1.26], lambda g, x, low, high: aten.hardtanh_backward(g, x, low, high)),
    ("MishBackward", 2, [], lambda g, x: aten.mish_backward(g, x)),
]
# Of these the tensors do not broadcast.
ALIKE = {name for name, *_ in CALLS if name.endswith("Backward")}
SUMS = {"Addcmul", "Addcdiv", "Lerp", "Lerps"}
# Of integers too, with these numbers.
WHOLE = {"Clamp": [-3, 5], "ClampMin": [2], "ClampMax": [2], "Hardtanh": [-3, 5], "Threshold": [1, -7],
         "ClampMinTensor": [], "ClampMaxTensor": []}
OTHERS = ["GeluV2", "GeluBackwardV2", "LeakyReluBackward", "LogSigmoidForward", "LogSigmoidBackward", "RoundDecimals",
          "NanToNum", "SWhere"]
MASKED = ["InplaceMaskedFillScalar", "InplaceMaskedFillTensor"]
FUNCTIONS = with_twins([*(name for name, *_ in CALLS), *OTHERS, *MASKED],
                       ["Elu", "LeakyRelu", "Threshold", "ClampMax", "Hardtanh", "ClampMinTensor", "ClampMaxTensor",
                        "Addcmul", "Addcdiv", "Lerp", "Lerps", "RoundDecimals", "NanToNum", "Celu"])


def scale_of(name, tensors):
    """A gradient is the output's times a sum; None where nothing cancels."""
    if name in SUMS:
        return terms_of(*tensors, *([tensors[1] * tensors[2]] if name == "Addcmul" else []),
                        *([tensors[1] / tensors[2]] if name == "Addcdiv" else []),
                        *([tensors[2] * (tensors[1] - tensors[0])] if name == "Lerp" else []))
    return terms_of(tensors[0]) if name in ALIKE else None


def other(client, rng, name, dtype, shape):
    """The arguments of a function that has more than tensors and scalars."""
    of, (x, g) = plain(name), ((torch.randn(shape) * 2).to(dtype) for _ in range(2))
    if of == "RoundDecimals":
        decimals = rng.randint(-1, 3)
        # As PyTorch does it: in float32 a product may round to where two numbers are equally near.
        return around(name, x, [decimals], Result(torch.round(x.float(), decimals=decimals), dtype))
    if of == "NanToNum":
        for special in (float("nan"), float("inf"), -float("inf")):
            x[torch.rand(shape) < 0.1] = special
        numbers = [1.5, 100.0, -50.0]
        return around(name, x, [ctypes.c_float(number) for number in numbers],
                      Result(torch.nan_to_num(x.float(), *numbers).to(dtype), exact=True))
    form, slope = rng.randrange(2), 0.125
    approximate = ["none", "tanh"][form]
    if of == "GeluV2":
        return [x, form, Result(functional.gelu(x.double(), approximate=approximate), dtype,
                                theirs=None if dtype == torch.float16 else functional.gelu(x, approximate=approximate))]
    if of == "GeluBackwardV2":
        gradient = aten.gelu_backward(g.double(), x.double(), approximate=approximate)
        return [g, x, approximate.encode(), Result(gradient, dtype, terms_of(g))]
    if of == "LeakyReluBackward":
        result = form == 1
        return [g, x, client.scalar(slope), result,
                Result(aten.leaky_relu_backward(g.double(), x.double(), slope, result), dtype)]
    if of == "LogSigmoidForward":
        kept = elements([3], dtype)
        return [x, Result(functional.logsigmoid(x.double()), dtype), Result(kept, exact=True, before=kept)]
    return [g, x, None, Result(g.double() * torch.sigmoid(-x.double()), dtype)]


def chosen(client, rng, name, shape):
    """The arguments of a function that moves elements of any dtype by a mask."""
    if name == "SWhere":
        dtype = rng.choice(ELEMENTS)
        condition, self, other = (elements(part_of(shape, rng), kind) for kind in (torch.bool, dtype, dtype))
        given = condition if rng.random() < 0.5 else condition.byte() * 3
        return [given, self, other, Result(torch.where(condition, self, other), exact=True)]
    dtype = rng.choice([*FLOATS, torch.int64, torch.int32, torch.int8, torch.bool])
    self, mask = elements(shape, dtype), elements(part_of(shape, rng), torch.bool)
    value = rng.choice([0.125, -2.5] if dtype.is_floating_point else [0, 1] if dtype == torch.bool else [-7, 100])
    filled = Result(self.masked_fill(mask, value), exact=True, before=self)
    if name.endswith("Tensor"):
        return [filled, mask, torch.full([], value).to(dtype)]
    return [filled, mask, client.scalar(value)]


def whole(client, rng, worst, name, count, shape, function):
    """A function of integers."""
    dtype = rng.choice(INTEGERS)
    numbers = WHOLE[plain(name)]
    # PyTorch has no hardtanh of UINT8 with a limit below 0, which wraps in the others.
    numbers = [abs(number) for number in numbers] if (dtype, plain(name)) == (torch.uint8, "Hardtanh") else numbers
    tensors = [torch.randint(0 if dtype == torch.uint8 else -9, 10, shape if i == 0 else part_of(shape, rng)).to(dtype)
               for i in range(count)]
    scalars = [lambda number=number: client.scalar(number) for number in numbers]
    return run(client, rng, worst, name, [*tensors, *scalars], shape, lambda *t: function(*t, *numbers), exact=True)


def check(client, rng, worst, name):
    dtype, shape = rng.choice(FLOATS), shape_of(rng)
    if name == "SWhere" or name in MASKED:
        arguments = chosen(client, rng, name, shape)
        return call(client, rng, worst, name, *arguments)
    if plain(name) in OTHERS:
        return call(client, rng, worst, name, *other(client, rng, name, dtype, shape))
    _, count, numbers, function = next(row for row in CALLS if row[0] == plain(name))
    if plain(name) in WHOLE and rng.random() < 0.3:
        return whole(client, rng, worst, name, count, shape, function)
    tensors = [(torch.randn(shape if i == 0 or name in ALIKE else part_of(shape, rng)) * 2).to(dtype)
               for i in range(count)]
    if plain(name) == "Addcdiv":
        tensors[2] = (tensors[2].abs() + 0.5).to(dtype)
    if name == "HardswishBackward":  # at 3, PyTorch's vectors and its scalars differ
        tensors[1][tensors[1].abs() == 3] = 2.5
    scalars = [lambda number=number: client.scalar(number) for number in numbers]
    return run(client, rng, worst, name, [*tensors, *scalars], shape, lambda *t: function(*t, *numbers),
               scale=scale_of(plain(name), tensors))

"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch
import torch.nn.functional as functional

from problem import FLOATS, part_of, run, shape_of, terms_of

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
    ("ClampTensor", 3, [], lambda x, low, high: torch.clamp(x, low, high)),
    ("Addcmul", 3, [0.5], lambda x, a, b, value: torch.addcmul(x, a, b, value=value)),
    ("Addcdiv", 3, [0.5], lambda x, a, b, value: torch.addcdiv(x, a, b, value=value)),
    ("Lerp", 3, [], torch.lerp),
    ("Lerps", 2, [0.375], lambda x, end, weight: torch.lerp(x, end, weight)),
    ("ThresholdBackward", 2, [0.25], lambda g, x, t: aten.threshold_backward(g, x, t)),
    ("GeluBackward", 2, [], lambda g, x: aten.gelu_backward(g, x, approximate="tanh")),
    ("TanhBackward", 2, [], lambda g, y: aten.tanh_backward(g, y)),
    ("SiluBackward", 2, [], lambda g, x: aten.silu_backward(g, x)),
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


def scale_of(name, tensors):
    """A gradient is the output's times a sum; None where nothing cancels."""
    if name in SUMS:
        return terms_of(*tensors, *([tensors[1] * tensors[2]] if name == "Addcmul" else []),
                        *([tensors[1] / tensors[2]] if name == "Addcdiv" else []),
                        *([tensors[2] * (tensors[1] - tensors[0])] if name == "Lerp" else []))
    return terms_of(tensors[0]) if name in ALIKE else None


def check(client, rng, worst):
    name, count, numbers, function = rng.choice(CALLS + [("GeluV2", 1, [], None)])
    dtype, shape = rng.choice(FLOATS), shape_of(rng)
    tensors = [(torch.randn(shape if i == 0 or name in ALIKE else part_of(shape, rng)) * 2).to(dtype)
               for i in range(count)]
    if name == "Addcdiv":
        tensors[2] = (tensors[2].abs() + 0.5).to(dtype)
    if name == "HardswishBackward":  # at 3, PyTorch's vectors and its scalars differ
        tensors[1][tensors[1].abs() == 3] = 2.5
    if name == "GeluV2":
        form = rng.randrange(2)
        approximate = ["none", "tanh"][form]
        return run(client, rng, worst, name, [*tensors, lambda: ctypes.c_int64(form)], shape,
                   lambda x: functional.gelu(x, approximate=approximate))
    scalars = [lambda number=number: client.scalar(number) for number in numbers]
    return run(client, rng, worst, name, [*tensors, *scalars], shape, lambda *t: function(*t, *numbers),
               scale=scale_of(name, tensors))

"""One random problem of an operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch
import torch.nn.functional as functional

from comparison import compare, poisoned, view_of

FUNCTIONS = ["MseLoss", "MseLossBackward"]
REDUCTIONS = ["none", "mean", "sum"]


def part_of(shape, rng):
    """A shape that broadcasts to this one."""
    part = shape[rng.randint(0, len(shape)):] if rng.random() < 0.3 else shape
    return [1 if rng.random() < 0.2 else extent for extent in part]


def check(client, rng, worst, name):
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    shape = [rng.randint(1, 40) for _ in range(rng.randint(0, 3))]
    self, target = (torch.randn(part_of(shape, rng)).to(dtype) for _ in range(2))
    shape = list(torch.broadcast_shapes(self.shape, target.shape))
    number = rng.randrange(3)
    reduction = REDUCTIONS[number]
    backward = name.endswith("Backward")
    inputs = [client.tensor(view_of(value, rng)) for value in (self, target)]
    wide = [value.double().expand(shape) for value in (self, target)]
    if backward:
        grad = torch.randn(shape if reduction == "none" else []).to(dtype)
        out = client.tensor(poisoned(shape, dtype, rng))
        client.run("aclnnMseLossBackward", client.tensor(view_of(grad, rng)), *inputs,
                   ctypes.c_int64(number), out)
        divisor = self.numel() if reduction == "mean" else 1
        expected = 2 * (wide[0] - wide[1]) * grad.double() / divisor
        scale = 2 * (wide[0].abs() + wide[1].abs()) * grad.double().abs() / divisor * 256
    else:
        out = client.tensor(poisoned(shape if reduction == "none" else [], dtype, rng))
        client.run("aclnnMseLoss", *inputs, ctypes.c_int64(number), out)
        expected = functional.mse_loss(*wide, reduction=reduction)
        scale = functional.mse_loss(wide[0].abs(), -wide[1].abs(), reduction=reduction) * 256
    compare(worst, out.read(), expected, dtype, scale,
            f"mse {shape} {dtype} {reduction} backward={backward}")

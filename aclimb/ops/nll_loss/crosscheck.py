"""One random problem of an operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from comparison import compare, poisoned, view_of

FUNCTIONS = ["NLLLoss", "NLLLossBackward", "NLLLoss2d", "NLLLoss2dBackward"]
REDUCTIONS = ["none", "mean", "sum"]


def check(client, rng, worst, name):
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    classes = rng.choice([1, 2, 7, 10, 33, 100])
    images, backward = "2d" in name, name.endswith("Backward")
    positions = [rng.randint(1, 9) for _ in range(3 if images else rng.randint(0, 1))]
    self = torch.randn(positions[:1] + [classes] + positions[1:]).to(dtype)
    target = torch.randint(0, classes, positions)
    ignore = rng.choice([-100, rng.randrange(classes)])
    weight = (torch.rand(classes) + 0.1).to(dtype)
    number = rng.randrange(3)
    per_position = positions if REDUCTIONS[number] == "none" else []
    if bool((target == ignore).all()):  # PyTorch has NaN for their mean
        ignore = -100
    aten = torch.ops.aten
    forward, gradient = ((aten.nll_loss2d_forward, aten.nll_loss2d_backward) if images else
                         (aten.nll_loss_forward, aten.nll_loss_backward))
    inputs = [client.tensor(view_of(value, rng)) for value in (self, target, weight)]
    attributes = [ctypes.c_int64(number), ctypes.c_int64(ignore)]
    loss, total = forward(self.double(), target, weight.double(), number, ignore)
    what = f"{name} {list(self.shape)} {dtype} {REDUCTIONS[number]} ignore={ignore}"
    if backward:
        grad = torch.randn(per_position).to(dtype)
        total = total.to(dtype)
        out = client.tensor(poisoned(list(self.shape), dtype, rng))
        client.run("aclnn" + name, client.tensor(view_of(grad, rng)), *inputs, *attributes,
                   client.tensor(total), out)
        expected = gradient(grad.double(), self.double(), target, weight.double(), number, ignore,
                            total.double())
        compare(worst, out.read(), expected, dtype, expected.abs() * 256, what + " backward")
        return
    out = client.tensor(poisoned(per_position, dtype, rng))
    weights = client.tensor(poisoned([], dtype, rng))
    client.run("aclnn" + name, *inputs, *attributes, out, weights)
    scale, _ = forward(-self.double().abs(), target, weight.double(), number, ignore)
    compare(worst, out.read(), loss, dtype, scale * 256, what)
    kept = torch.where(target == ignore, torch.zeros(()).double(),
                       weight.double()[target.clamp(0, classes - 1)]).sum()
    compare(worst, weights.read(), kept, dtype, kept * 256, what + " total weight")

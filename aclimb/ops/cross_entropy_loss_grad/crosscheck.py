"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch
import torch.nn.functional as functional

from comparison import compare, poisoned, view_of

FUNCTIONS = ["CrossEntropyLossGrad"]


def check(client, rng, worst, name):
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    rows, classes = rng.randint(1, 40), rng.choice([1, 2, 7, 10, 33, 100, 257])
    reduction = rng.choice(["none", "mean", "sum"])
    ignore = rng.choice([-100, rng.randrange(classes)])
    weighted = rng.random() < 0.5
    log_prob = functional.log_softmax(torch.randn(rows, classes) * 2, dim=1).to(dtype)
    target = torch.randint(0, classes, [rows])
    if ignore < 0 and rows > 2:
        target[rng.randrange(rows)] = ignore
    if bool((target == ignore).all()):  # PyTorch has NaN for their mean
        ignore, target[0] = -100, 0
    weight = torch.rand(classes) + 0.1 if weighted else None
    grad = torch.randn([rows] if reduction == "none" else []).to(dtype)
    out = poisoned([rows, classes], dtype, rng)
    none = ctypes.c_void_p()
    tensors = [client.tensor(grad), client.tensor(view_of(log_prob, rng)),
               client.tensor(view_of(target, rng)), client.tensor(out)]
    weight_tensor = client.tensor(weight) if weighted else none
    client.run("aclnn" + name, tensors[0], tensors[1], tensors[2], weight_tensor, none,
               none, reduction.encode(), ctypes.c_int64(ignore), ctypes.c_double(0),
               ctypes.c_double(0), tensors[3])
    # nll_loss backward through the saved log-softmax, in double.
    probability = log_prob.double().exp()
    row_weight = torch.where(target == ignore, torch.zeros(rows, dtype=torch.float64),
                             (weight if weighted else torch.ones(classes)).double()[
                                 target.clamp(0, classes - 1)])
    scale = grad.double() / row_weight.sum() if reduction == "mean" else grad.double()
    row = (scale * row_weight).reshape(rows, 1)
    hot = functional.one_hot(target.clamp(0, classes - 1), classes).double()
    expected = row * (probability - hot)
    # What autograd runs in the problem's dtype; PyTorch has no float16 there.
    peer = None
    if dtype != torch.float16:
        aten, kept = torch.ops.aten, (weight if weighted else torch.ones(classes)).to(dtype)
        total = torch.where(target == ignore, torch.zeros(()).to(dtype),
                            kept[target.clamp(0, classes - 1)]).sum()
        number = {"none": 0, "mean": 1, "sum": 2}[reduction]
        middle = aten.nll_loss_backward(grad, log_prob, target, kept, number, ignore, total)
        peer = aten._log_softmax_backward_data(middle, log_prob, 1, dtype)
    compare(worst, tensors[3].read(), expected, dtype, row.abs() * (probability + hot) * 256,
            f"cross entropy {rows}x{classes} {dtype} {reduction} ignore={ignore}", peer)

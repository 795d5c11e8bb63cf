"""One random problem of an operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch
import torch.nn.functional as functional

from comparison import compare, poisoned, view_of

FUNCTIONS = ["CrossEntropyLoss", "SoftmaxCrossEntropyWithLogits"]


def check_probabilities(client, rng, worst):
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    shape = [rng.randint(1, 40), rng.choice([1, 2, 7, 10, 33, 100, 5000])]
    logits = (torch.randn(shape) * 4).to(dtype)
    labels = functional.softmax(torch.randn(shape), dim=1).to(dtype)
    loss = client.tensor(poisoned(shape[:1], dtype, rng))
    backprop = client.tensor(poisoned(shape, dtype, rng))
    client.run("aclnnSoftmaxCrossEntropyWithLogits", client.tensor(view_of(logits, rng)),
               client.tensor(view_of(labels, rng)), loss, backprop)
    log_prob = functional.log_softmax(logits.double(), dim=1)
    terms = labels.double() * log_prob
    what = f"softmax cross entropy {shape} {dtype}"
    compare(worst, loss.read(), -terms.sum(1), dtype, terms.abs().sum(1) * 256, what)
    compare(worst, backprop.read(), log_prob.exp() - labels.double(), dtype,
            (log_prob.exp() + labels.double()) * 256, what + " gradient")


def check(client, rng, worst, name):
    if name == "SoftmaxCrossEntropyWithLogits":
        check_probabilities(client, rng, worst)
        return
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    rows, classes = rng.randint(1, 40), rng.choice([1, 2, 7, 10, 33, 100, 5000])
    reduction = rng.choice(["none", "mean", "sum"])
    ignore = rng.choice([-100, rng.randrange(classes)])
    logits = (torch.randn(rows, classes) * 4 + rng.choice([0, 100])).to(dtype)
    target = torch.randint(0, classes, [rows])
    if bool((target == ignore).all()):  # PyTorch has NaN for their mean
        ignore = -100
    weight = torch.rand(classes) + 0.1 if rng.random() < 0.5 else None
    none = ctypes.c_void_p()
    loss = client.tensor(poisoned([rows] if reduction == "none" else [1], dtype, rng))
    log_prob = client.tensor(poisoned([rows, classes], dtype, rng))
    client.run("aclnnCrossEntropyLoss", client.tensor(view_of(logits, rng)),
               client.tensor(view_of(target, rng)),
               none if weight is None else client.tensor(weight), reduction.encode(),
               ctypes.c_int64(ignore), ctypes.c_double(0), ctypes.c_double(0), ctypes.c_bool(False),
               loss, log_prob, none, none)
    expected = functional.log_softmax(logits.double(), dim=1)
    what = f"cross entropy {rows}x{classes} {dtype} {reduction} ignore={ignore}"
    size = logits.double().abs().amax(1, keepdim=True)
    compare(worst, log_prob.read(), expected, dtype, (expected.abs() + size) * 256, what + " log")
    double = None if weight is None else weight.double()
    expected = functional.nll_loss(expected, target, double, ignore_index=ignore,
                                   reduction=reduction)
    size = functional.nll_loss(-size.expand(rows, classes), target, double, ignore_index=ignore,
                               reduction=reduction)
    compare(worst, loss.read(), expected.reshape(-1), dtype,
            (expected.abs() + size).reshape(-1) * 256, what)

"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import FLOATS, Result, call, elements, shape_of

functional = torch.nn.functional
REDUCTIONS = {"none": lambda terms: terms, "mean": torch.mean, "sum": torch.sum,
              "batchmean": lambda terms: terms.sum() / (terms.shape[0] if terms.dim() else 1)}


def kl_div(x, target, log_target):
    # PyTorch warns of kl_div's own mean.
    return functional.kl_div(x, target, log_target=log_target, reduction="none")


# PyTorch's losses before they are reduced, and the sizes of the terms of their derivatives by x where these may cancel.
CALLS = {
    "BinaryCrossEntropy": (functional.binary_cross_entropy, lambda x, t: (x + t) / (x * (1 - x))),
    "BinaryCrossEntropyWithLogits": (functional.binary_cross_entropy_with_logits, lambda x, t: 1 + t.abs() * 4),
    "KlDiv": (kl_div, None),
    "L1Loss": (functional.l1_loss, None),
    "SmoothL1Loss": (functional.smooth_l1_loss, lambda x, t: (x.abs() + t.abs()) * 2),
    "SoftMarginLoss": (functional.soft_margin_loss, None),
}
FUNCTIONS = [*CALLS, *(name + "Backward" for name in CALLS)]


def check(client, rng, worst, name):
    of, backward = name.removesuffix("Backward"), name.endswith("Backward")
    dtype, shape = rng.choice(FLOATS), shape_of(rng)
    reduction = rng.choice(list(REDUCTIONS)[:4 if name == "KlDivBackward" else 3])
    x, target, before, behind, options = torch.randn(shape), torch.randn(shape), [], [], {"reduction": "none"}
    if of == "SmoothL1Loss":
        options["beta"] = rng.choice([0.5, 1.0])
        behind = [ctypes.c_float(options["beta"])]
    elif of == "KlDiv":
        options = {"log_target": rng.random() < 0.5}
        behind = [options["log_target"]]
        target = target if options["log_target"] else target.abs()
    elif of == "SoftMarginLoss":
        target = target.sign()
    elif of.startswith("Binary"):
        logits, target = of.endswith("Logits"), torch.rand(shape)
        x = x * 3 if logits else torch.rand(shape).clamp(0.05, 0.95)
        for factor in ["weight", "pos_weight"][:2 if logits else 1]:
            of_factor = (torch.rand(shape) + 0.5).to(dtype) if rng.random() < 0.5 else None
            before.append(of_factor)
            options[factor] = None if of_factor is None else of_factor.double()
    x, target = x.to(dtype), target.to(dtype)
    passed = [x, target, *before, list(REDUCTIONS).index(reduction), *behind]
    function, sizes = CALLS[of]
    leaf = x.double().requires_grad_()
    terms = function(leaf, target.double(), **options)
    loss = REDUCTIONS[reduction](terms)
    if not backward:
        # Terms of both signs may cancel.
        scale = REDUCTIONS[reduction](terms.detach().abs()) * 256
        return call(client, rng, worst, name, *passed, Result(loss.detach(), dtype, scale), about=reduction)
    gradient = elements(list(loss.shape), dtype)
    expected, = torch.autograd.grad(loss, leaf, gradient.double())
    scale = None
    if sizes:
        each = torch.autograd.grad(REDUCTIONS[reduction](leaf.expand(shape) * 1), leaf, gradient.double().abs())[0]
        scale = sizes(x.double(), target.double()) * each * 256
    return call(client, rng, worst, name, gradient, *passed, Result(expected, dtype, scale), about=reduction)

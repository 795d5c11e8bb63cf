"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import FLOATS, run, shape_of

functional = torch.nn.functional
REDUCTIONS = {"none": lambda terms: terms, "mean": torch.mean, "sum": torch.sum}


def kl_div(x, target, log_target, reduction):
    # PyTorch warns of kl_div's own mean.
    return REDUCTIONS[reduction](functional.kl_div(x, target, log_target=log_target, reduction="none"))


CALLS = {
    "BinaryCrossEntropy": functional.binary_cross_entropy,
    "KlDiv": kl_div,
    "L1Loss": functional.l1_loss,
    "SmoothL1Loss": functional.smooth_l1_loss,
}


def check(client, rng, worst):
    name = rng.choice(sorted(CALLS))
    dtype, shape = rng.choice(FLOATS), shape_of(rng)
    reduction = rng.choice(sorted(REDUCTIONS))
    x, target = torch.randn(shape), torch.randn(shape)
    options = {"reduction": reduction}
    passed = [lambda: ctypes.c_int64(list(REDUCTIONS).index(reduction))]
    if name == "SmoothL1Loss":
        options["beta"] = rng.choice([0.5, 1.0])
        passed.append(lambda: ctypes.c_float(options["beta"]))
    elif name == "KlDiv":
        options["log_target"] = rng.random() < 0.5
        passed.append(lambda: ctypes.c_bool(options["log_target"]))
        target = target if options["log_target"] else target.abs()
    elif name == "BinaryCrossEntropy":
        x, target = torch.rand(shape).clamp(0.05, 0.95), torch.rand(shape)
        passed.insert(0, lambda: None)  # no weight
    x, target = x.to(dtype), target.to(dtype)
    # Terms of both signs may cancel.
    terms = CALLS[name](x.double(), target.double(), **{**options, "reduction": "none"})
    scale = REDUCTIONS[reduction](terms.abs()) * 256
    run(client, rng, worst, name, [x, target, *passed], shape if reduction == "none" else [],
        lambda x, target: CALLS[name](x, target, **options), scale=scale)

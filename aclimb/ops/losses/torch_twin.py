"""Losses of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrix
from torch.nn import functional


def variants(case):
    x, y, reduction = matrix(case), matrix(case), case.reduction
    return {case.function: {
        "l1_loss": lambda: functional.l1_loss(x, y, reduction=reduction),
        "smooth_l1_loss": lambda: functional.smooth_l1_loss(x, y, reduction=reduction),
        "kl_div": lambda: functional.kl_div(x, y, reduction=reduction, log_target=True)}[case.function]}

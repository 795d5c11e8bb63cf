"""Losses of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrix
from torch.nn import functional


def variants(case):
    x, y, reduction = matrix(case), matrix(case), case.reduction
    ways = {} if x.dtype != torch.float32 or reduction == "none" or case.layout != "dense" else by_hand(case, x, y)
    return ways | {case.function: {
        "l1_loss": lambda: functional.l1_loss(x, y, reduction=reduction),
        "smooth_l1_loss": lambda: functional.smooth_l1_loss(x, y, reduction=reduction),
        "kl_div": lambda: functional.kl_div(x, y, reduction=reduction, log_target=True)}[case.function]}


def by_hand(case, x, y, count=1 << 16):
    """Sums of blocks that stay in the caches."""
    flat = list(zip(x.view(-1).split(count), y.view(-1).split(count)))
    first, second = torch.empty(min(count, x.numel())), torch.empty(min(count, x.numel()))
    scale = 1 / x.numel() if case.reduction == "mean" else 1

    def kl_div():
        total = 0
        for a, b in flat:
            e, d = torch.exp(b, out=first[:len(a)]), torch.sub(b, a, out=second[:len(a)])
            total += torch.dot(e, d)
        return total * scale

    def l1_loss():
        total = 0
        for a, b in flat:
            total += torch.sub(a, b, out=first[:len(a)]).abs_().sum()
        return total * scale
    return {"kl_div": {"exp, sub, dot, blocks": kl_div}, "l1_loss": {"sub, abs, sum, blocks": l1_loss}}.get(
        case.function, {})

"""The mean squared error in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrix


def variants(case):
    x, y = matrix(case), matrix(case)
    ways = {}
    if case.reduction == "mean" and case.layout == "dense":
        ways["sub, dot, blocks"] = by_blocks(x.view(-1), y.view(-1))
    return ways | {"mse_loss": lambda: torch.nn.functional.mse_loss(x, y, reduction=case.reduction)}


def by_blocks(x, y, count=1 << 16):
    """Squares of blocks of differences, in float32, that stay in the caches."""
    first, second = torch.empty(min(count, len(x))), torch.empty(min(count, len(x)))
    blocks = list(zip(x.split(count), y.split(count)))

    def run():
        total = 0
        for a, b in blocks:
            if x.dtype != torch.float32:
                a, b = first[:len(a)].copy_(a), second[:len(a)].copy_(b)
            difference = torch.sub(a, b, out=first[:len(a)])
            total += torch.dot(difference, difference)
        return (total / len(x)).to(x.dtype)
    return run

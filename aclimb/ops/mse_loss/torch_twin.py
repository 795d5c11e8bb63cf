"""The mean squared error in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrix


def variants(case):
    x, y = matrix(case), matrix(case)
    return {"mse_loss": lambda: torch.nn.functional.mse_loss(x, y, reduction=case.reduction)}

"""The negative log likelihood in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix


def variants(case):
    x, target, weight = matrix(case), torch.randint(0, case.columns, (case.rows,)), filled((case.columns,), case.type)
    return {"nll_loss": lambda: torch.nn.functional.nll_loss(x, target, weight, reduction=case.reduction)}

"""trace of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrix


def variants(case):
    case.columns = case.rows
    x = matrix(case)
    return {"trace": lambda: torch.trace(x), "diagonal, sum": lambda: x.diagonal().sum()}

"""The variance of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix


def variants(case):
    x = matrix(case)
    out = filled((case.columns if case.dim == 0 else case.rows,), case.type, torch.zeros)
    return {"out=": lambda: torch.var(x, [case.dim], out=out)}

"""Reductions of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix


def variants(case):
    x = matrix(case)
    dims = [0, 1] if case.dim < 0 else [case.dim]
    out = filled(torch.empty((case.rows, case.columns), device="meta").sum(dims).shape, case.type, torch.zeros)
    calls = {
        "reduce_sum": lambda: torch.sum(x, dims, out=out),
        "amax": lambda: torch.amax(x, dims, out=out),
        "log_sum_exp": lambda: torch.logsumexp(x, dims, out=out),
    }
    return {"out=": calls[case.operator]}

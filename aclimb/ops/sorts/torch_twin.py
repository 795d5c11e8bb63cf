"""Sorting of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix


def variants(case):
    x, shape = matrix(case), [case.rows, case.columns]
    if case.function == "topk":
        shape[case.dim] = case.k
    values, indices = filled(shape, case.type, torch.zeros), torch.zeros(shape, dtype=torch.int64)
    if case.function == "topk":
        return {"out=": lambda: torch.topk(x, case.k, case.dim, out=(values, indices))}
    return {"out=": lambda: torch.sort(x, case.dim, out=(values, indices)),
            "sort": lambda: torch.sort(x, case.dim)}

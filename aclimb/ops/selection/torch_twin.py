"""Selections of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    shape = (case.rows, case.columns)
    some = filled(shape, case.type, lambda n: torch.randint(0, 2, (n,)))
    if case.function == "nonzero":
        return {"nonzero": lambda: torch.nonzero(some)}
    x, source, mask = filled(shape, case.type), filled(shape, case.type), some != 0
    if case.function == "masked_select":
        return {"masked_select": lambda: torch.masked_select(x, mask)}
    return {"masked_scatter_": lambda: x.masked_scatter_(mask, source)}

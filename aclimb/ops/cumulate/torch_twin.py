"""Running sums of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    x = filled((case.rows, case.columns), case.type)
    out = filled((case.rows, case.columns), case.type, torch.zeros)
    return {"out=": lambda: torch.cumsum(x, case.dim, out=out)}

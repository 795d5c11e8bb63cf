"""Running sums and products of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    shape, run = (case.rows, case.columns), getattr(torch, case.function)
    x = torch.randint(0, 1000, shape) if case.dtype == "int64" else filled(shape, case.type)
    out = torch.zeros_like(x)
    return {"out=": lambda: run(x, case.dim, out=out)}

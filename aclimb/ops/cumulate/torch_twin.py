"""Running sums and products of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrix


def variants(case):
    shape, run = (case.rows, case.columns), getattr(torch, case.function)
    x = torch.randint(0, 1000, shape) if case.dtype == "int64" else matrix(case)
    out = torch.zeros(shape, dtype=x.dtype)
    ways = {"out=": lambda: run(x, case.dim, out=out)}
    if case.layout == "transposed":
        ways["contiguous, out="] = lambda: run(x.contiguous(), case.dim, out=out)
    return ways

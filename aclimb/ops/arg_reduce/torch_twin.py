"""The place of the largest element of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrix


def variants(case):
    x = matrix(case)
    out = torch.zeros(case.columns if case.dim == 0 else case.rows, dtype=torch.int64)
    ways = {"out=": lambda: torch.argmax(x, case.dim, out=out)}
    if case.layout == "transposed":
        ways["contiguous, out="] = lambda: torch.argmax(x.contiguous(), case.dim, out=out)
    return ways

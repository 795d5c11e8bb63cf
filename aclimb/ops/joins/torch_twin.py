"""Joins of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix


def variants(case):
    parts = [matrix(case) for _ in range(case.parts)]
    join = torch.stack if case.function == "stack" else torch.cat
    out = filled(join([part.to("meta") for part in parts], case.dim).shape, case.type, torch.zeros)
    ways = {"out=": lambda: join(parts, case.dim, out=out)}
    if case.layout == "transposed":
        ways["cat, copy_ transposed"] = lambda: out.copy_(torch.cat([part.t() for part in parts], 1 - case.dim).t())
    return ways

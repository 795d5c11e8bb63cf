"""Joins of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix


def variants(case):
    parts = [matrix(case) for _ in range(case.parts)]
    join = torch.stack if case.function == "stack" else torch.cat
    out = filled(join([part.to("meta") for part in parts], case.dim).shape, case.type, torch.zeros)
    return {"out=": lambda: join(parts, case.dim, out=out)}

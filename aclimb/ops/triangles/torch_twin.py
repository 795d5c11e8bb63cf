"""Triangles of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix


def variants(case):
    x = matrix(case)
    out = filled(x.shape, case.type, torch.zeros)
    return {"out=": lambda: torch.tril(x, out=out)}

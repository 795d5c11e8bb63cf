"""Histograms of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrix


def variants(case):
    x, out = matrix(case), torch.zeros(case.bins, dtype=case.type)
    return {"histc, out=": lambda: torch.histc(x, case.bins, -3, 3, out=out),
            "histogram": lambda: torch.histogram(x, case.bins, range=(-3.0, 3.0))}

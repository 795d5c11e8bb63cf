"""Sequences of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    out = filled((case.elements,), case.type, torch.zeros)
    return {"out=": lambda: torch.arange(0, case.elements, out=out)}

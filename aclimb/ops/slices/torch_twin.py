"""Slices, flips and rolls of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix


def variants(case):
    x, columns = matrix(case), case.columns
    if case.function == "flip":
        return {"flip": lambda: torch.flip(x, [1])}
    if case.function == "roll":
        return {"roll": lambda: torch.roll(x, 7, 1)}
    part = x[:, ::2] if case.function == "slice_step" else x[:, columns // 4:columns // 4 + columns // 2]
    out = filled(part.shape, case.type, torch.zeros)
    return {"copy_": lambda: out.copy_(part)}

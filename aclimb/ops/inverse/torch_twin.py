"""Inverses of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    matrices = filled((case.batches, case.rows, case.rows), case.type)
    out = torch.empty_like(matrices)
    return {"inv, out=": lambda: torch.linalg.inv(matrices, out=out), "inv": lambda: torch.linalg.inv(matrices)}

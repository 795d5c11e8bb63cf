"""Norms of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    x = filled((case.rows, case.columns), case.type)
    out = filled((case.columns if case.dim == 0 else case.rows,), case.type, torch.zeros)
    return {"norm, out=": lambda: torch.norm(x, case.p, case.dim, out=out),
            "vector_norm, out=": lambda: torch.linalg.vector_norm(x, case.p, case.dim, out=out)}

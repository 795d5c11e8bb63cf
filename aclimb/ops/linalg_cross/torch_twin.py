"""Vector products of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    dim = 1 if case.layout == "rows" else 0
    shape = (case.vectors, 3) if dim == 1 else (3, case.vectors)
    a, b, out = (filled(shape, case.type) for _ in range(3))
    return {"out=": lambda: torch.linalg.cross(a, b, dim=dim, out=out)}

"""softshrink of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrices


def variants(case):
    a, _, _, out = matrices(case)
    return {"out=": lambda: torch.ops.aten.softshrink.out(a, 1, out=out)}

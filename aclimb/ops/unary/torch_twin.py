"""The operators of one tensor of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrices


def variants(case):
    a, _, _, out = matrices(case)
    if case.function == "relu":
        return {"clamp_min": lambda: torch.clamp_min(a, 0, out=out)}
    if case.function == "silu":
        return {"out=": lambda: torch.ops.aten.silu.out(a, out=out)}
    return {"out=": lambda: getattr(torch, case.function)(a, out=out)}

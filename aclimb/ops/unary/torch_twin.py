"""The operators of one tensor of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import elementwise, matrices


def variants(case):
    a, _, _, out = matrices(case)
    if case.function == "relu":
        return elementwise(lambda x, into: torch.clamp_min(x, 0, out=into), (a,), out, "clamp_min")
    if case.function == "silu":
        return {"out=": lambda: torch.ops.aten.silu.out(a, out=out)}
    function = getattr(torch, case.function)
    return elementwise(lambda x, into: function(x, out=into), (a,), out)

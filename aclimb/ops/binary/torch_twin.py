"""The operators of two tensors of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import elementwise, matrices


def variants(case):
    a, b, _, out = matrices(case)
    if case.function == "muls":
        return {"out=": lambda: torch.mul(a, 20.0, out=out)}
    if case.function == "eq_scalar":
        return {"out=": lambda: torch.eq(a, 20.0, out=out)}
    function = getattr(torch, case.function)
    ways = elementwise(lambda x, y, into: function(x, y, out=into), (a, b), out)
    if case.function == "logical_and":
        ways["ne, bitwise_and"] = lambda: torch.bitwise_and(a.ne(0), b.ne(0), out=out)
    return ways

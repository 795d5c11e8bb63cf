"""The operators of two tensors of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import elementwise, matrices


def variants(case):
    a, b, _, out = matrices(case)
    if case.function == "muls":
        return {"out=": lambda: torch.mul(a, 20.0, out=out)}
    # PyTorch compares in vectors where the result has the type of the elements.
    single = torch.empty(out.shape, dtype=case.type) if out.dtype == torch.bool else None
    if case.function == "eq_scalar":
        return {"out=": lambda: torch.eq(a, 20.0, out=out),
                "out= of float32, copy_": lambda: out.copy_(torch.eq(a, 20.0, out=single))}
    function = getattr(torch, case.function)
    ways = elementwise(lambda x, y, into: function(x, y, out=into), (a, b), out)
    if case.function == "gt":
        ways["out= of float32, copy_"] = lambda: out.copy_(torch.gt(a, b, out=single))
    if case.function == "logical_and":
        ways["ne, bitwise_and"] = lambda: torch.bitwise_and(a.ne(0), b.ne(0), out=out)
    return ways

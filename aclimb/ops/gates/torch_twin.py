"""Gates of the benchmark in PyTorch, for bench/torch_twin.py.

swi_glu and ge_glu are two functions of PyTorch each, the activation and a product; the gradient of swi_glu is that of
both.
"""

import torch
from bench_torch_twin import elementwise, filled, matrix


def variants(case):
    aten = torch.ops.aten
    x, half = matrix(case), (case.rows, case.columns // 2)
    a, b = x.chunk(2, -1)
    out, other = filled(half, case.type, torch.zeros), filled(half, case.type, torch.zeros)
    gradient, whole = filled(half, case.type), filled((case.rows, case.columns), case.type, torch.zeros)
    of_a, of_b = whole.chunk(2, -1)

    def swi_glu_grad():
        torch.mul(gradient, b, out=other)
        aten.silu_backward.grad_input(other, a, grad_input=of_a)
        aten.silu.out(a, out=other)
        torch.mul(gradient, other, out=of_b)

    def swi_glu(x, y, into):
        aten.silu.out(x, out=into)
        return into.mul_(y)

    def ge_glu():
        aten.gelu.out(b, out=other)
        torch.mul(a, other, out=out)
    if case.function == "swi_glu":
        ways = elementwise(swi_glu, (a, b), out, "silu, mul")
        if case.type != torch.float32 and case.layout == "dense":
            ways["in float32, blocks"] = lambda: in_float32(a, b, out)
        return ways
    return {
        "swi_glu_grad": {"mul, silu_backward, silu, mul": swi_glu_grad},
        "ge_glu": {"gelu, mul": ge_glu},
        "glu": {"glu, out=": lambda: aten.glu.out(x, -1, out=out)},
        "glu_backward": {"out=": lambda: aten.glu_backward.grad_input(gradient, x, -1, grad_input=whole)},
    }[case.function]


def in_float32(a, b, out, count=4):
    """Rows that stay in the caches between the functions."""
    for x, y, result in zip(a.split(count), b.split(count), out.split(count)):
        single = x.float()
        result.copy_(torch.sigmoid(single).mul_(single).mul_(y.float()))
    return out

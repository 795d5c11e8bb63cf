"""A step of AdamW of the benchmark in PyTorch, for bench/torch_twin.py.

PyTorch 1.13 has no fused one for CPUs: this is what torch.optim.AdamW calls for a parameter.
"""

import math

import torch
from bench_torch_twin import filled


def variants(case):
    parameter, mean, gradient = (filled((case.elements,), case.type) for _ in range(3))
    square, root = (filled((case.elements,), case.type, torch.ones) for _ in range(2))
    first, second = 1 - 0.9**2, math.sqrt(1 - 0.999**2)

    def step():
        parameter.mul_(1 - 1e-3 * 1e-2)
        mean.mul_(0.9).add_(gradient, alpha=1 - 0.9)
        square.mul_(0.999).addcmul_(gradient, gradient, value=1 - 0.999)
        torch.sqrt(square, out=root)
        parameter.addcdiv_(mean, root.div_(second).add_(1e-8), value=-1e-3 / first)
    return {"seven functions": step}

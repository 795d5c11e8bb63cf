"""A step of AdamW of the benchmark in PyTorch, for bench/torch_twin.py.

PyTorch 1.13 has no fused one for CPUs: the seven functions are what torch.optim.AdamW calls for a parameter.
"""

import math

import torch
from bench_torch_twin import filled

# Elements of each tensor that stay in the caches between the functions.
BLOCK = 1 << 15


def variants(case):
    parameter, mean, gradient = (filled((case.elements,), case.type) for _ in range(3))
    square, root = (filled((case.elements,), case.type, torch.ones) for _ in range(2))
    first, second = 1 - 0.9**2, math.sqrt(1 - 0.999**2)

    def step(parameter, mean, gradient, square, root):
        parameter.mul_(1 - 1e-3 * 1e-2)
        mean.mul_(0.9).add_(gradient, alpha=1 - 0.9)
        square.mul_(0.999).addcmul_(gradient, gradient, value=1 - 0.999)
        torch.sqrt(square, out=root)
        parameter.addcdiv_(mean, root.div_(second).add_(1e-8), value=-1e-3 / first)
        return parameter

    whole = (parameter, mean, gradient, square, root)
    ways = {"seven functions": lambda: step(*whole)}
    if case.elements > BLOCK:
        blocks = list(zip(*(each.split(BLOCK) for each in whole)))

        def by_blocks():
            for block in blocks:
                step(*block)
            return parameter
        ways["seven functions, blocks"] = by_blocks
    if hasattr(torch, "_fused_adamw_"):
        steps = torch.tensor(2.0)
        numbers = {"lr": 1e-3, "beta1": 0.9, "beta2": 0.999, "weight_decay": 1e-2, "eps": 1e-8, "amsgrad": False,
                   "maximize": False}
        ways["_fused_adamw_"] = lambda: torch._fused_adamw_([parameter], [gradient], [mean], [square], [], [steps],
                                                            **numbers)
    return ways

"""prelu of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    def images():
        if case.layout == "permuted":
            return filled((case.images, case.size, case.size, case.channels), case.type).permute(0, 3, 1, 2)
        return filled((case.images, case.channels, case.size, case.size), case.type)
    x, weight = images(), filled((case.channels,), case.type)
    if case.function == "prelu":
        return {"prelu": lambda: torch.prelu(x, weight)}
    gradient = images()
    ways = {"by hand": lambda: by_hand(gradient, x, weight)}
    for name in ("prelu_backward", "_prelu_kernel_backward"):
        if hasattr(torch.ops.aten, name):
            backward = getattr(torch.ops.aten, name)
            break
    if name == "prelu_backward":
        ways[name] = lambda: backward(gradient, x, weight)
    else:
        def kernel():
            of_x, of_weight = backward(gradient, x, weight.view(1, -1, 1, 1))
            return of_x, of_weight.sum((0, 2, 3))
        ways[name] = kernel
    return ways


def by_hand(gradient, x, weight):
    """The gradient where x is positive, and where it is not."""
    of_x, of_weight = torch.empty_like(x), torch.zeros_like(weight)
    factors = weight.view(-1, 1, 1)
    for some, image, result in zip(gradient, x, of_x):
        torch.ops.aten.threshold_backward.grad_input(some, image, 0, grad_input=result)
        others = some - result
        result.addcmul_(others, factors)
        of_weight += others.mul_(image).sum((1, 2))
    return of_x, of_weight

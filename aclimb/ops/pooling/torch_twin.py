"""Pooling of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    aten = torch.ops.aten

    def planes(extent, tensor=lambda shape: filled(shape, case.type)):
        if case.layout == "permuted":
            return tensor((case.images, extent, extent, case.channels)).permute(0, 3, 1, 2)
        return tensor((case.images, case.channels, extent, extent))

    def number(value):
        return [value, value]
    x = planes(case.size)
    if case.function == "adaptive_avg_pool":
        return {"adaptive_avg_pool2d": lambda: torch.nn.functional.adaptive_avg_pool2d(x, case.kernel)}
    windows = (case.size + 2 * case.padding - case.kernel) // case.stride + 1
    window = [number(case.kernel), number(case.stride), number(case.padding)]
    if case.function == "avg_pool":
        return {"avg_pool2d": lambda: torch.nn.functional.avg_pool2d(x, *window)}
    if case.function == "max_pool":
        return {"max_pool2d_with_indices": lambda: torch.nn.functional.max_pool2d_with_indices(x, *window)}
    gradient, out = planes(windows), planes(case.size)
    if case.function == "avg_pool_backward":
        into = aten.avg_pool2d_backward.grad_input
        return {"backward, out=": lambda: into(gradient, x, *window, False, True, None, grad_input=out)}
    indices = planes(windows, lambda shape: torch.randint(0, case.size**2, shape))
    into = aten.max_pool2d_with_indices_backward.grad_input
    return {"backward, out=": lambda: into(gradient, x, *window, number(1), False, indices, grad_input=out)}

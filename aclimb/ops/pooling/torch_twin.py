"""Pooling of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    extents = (case.images, case.channels, case.size, case.size)
    x = filled(extents, case.type)
    if case.layout == "permuted":
        x = filled((case.images, case.size, case.size, case.channels), case.type).permute(0, 3, 1, 2)
    if case.function == "adaptive_avg_pool":
        return {"adaptive_avg_pool2d": lambda: torch.nn.functional.adaptive_avg_pool2d(x, case.kernel)}
    window = (case.kernel, case.stride, case.padding)
    if case.function == "avg_pool":
        return {"avg_pool2d": lambda: torch.nn.functional.avg_pool2d(x, *window)}
    return {"max_pool2d_with_indices": lambda: torch.nn.functional.max_pool2d_with_indices(x, *window)}

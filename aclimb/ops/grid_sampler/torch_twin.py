"""Elements at the places of a grid, of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def image(case, size):
    if case.layout == "permuted":
        return filled((case.images, size, size, case.channels), case.type).permute(0, 3, 1, 2)
    return filled((case.images, case.channels, size, size), case.type)


def variants(case):
    x, grid = image(case, case.size), filled((case.images, case.result, case.result, 2), case.type)
    mode = ["bilinear", "nearest"].index(case.mode)
    if case.function == "backward":
        gradient, both = image(case, case.result), [True, True]
        backward = torch.ops.aten.grid_sampler_2d_backward
        return {"grid_sampler_2d_backward": lambda: backward(gradient, x, grid, mode, 0, False, both)}
    return {"grid_sampler_2d": lambda: torch.grid_sampler_2d(x, grid, mode, 0, False)}

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
    return {"prelu_backward": lambda: torch.ops.aten.prelu_backward(gradient, x, weight)}

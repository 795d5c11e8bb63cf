"""max_unpool of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    windows, planes = case.size // 2, (case.images, case.channels)
    large = filled((*planes, case.size, case.size), case.type)
    _, places = torch.nn.functional.max_pool2d(large, 2, return_indices=True)
    if case.function == "max_unpool2d":
        small, out = filled((*planes, windows, windows), case.type), torch.zeros_like(large)
        size = [case.size, case.size]
        return {"out=": lambda: torch.ops.aten.max_unpool2d.out(small, places, size, out=out)}
    # Autograd's formula.
    flat, out = large.flatten(2), torch.zeros((*planes, windows * windows), dtype=case.type)
    return {"gather, out=": lambda: torch.gather(flat, 2, places.flatten(2), out=out)}

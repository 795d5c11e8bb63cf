"""affine_grid of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    theta, size = filled((case.images, 2, 3), case.type), [case.images, 3, case.size, case.size]
    return {"affine_grid": lambda: torch.nn.functional.affine_grid(theta, size, align_corners=False)}

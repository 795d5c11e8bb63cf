"""Elements and rows without repetitions in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    x = filled((case.rows, case.columns), case.type, lambda n: torch.randint(0, case.below, (n,)))
    if case.function == "unique_dim":
        return {"unique": lambda: torch.unique(x, dim=0, return_inverse=True, return_counts=True)}
    return {"unique_consecutive": lambda: torch.unique_consecutive(x, return_inverse=True, return_counts=True)}

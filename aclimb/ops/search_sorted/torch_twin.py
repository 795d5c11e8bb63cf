"""searchsorted of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    sequence = torch.linspace(-3, 3, case.length, dtype=case.type)
    values, out = filled((case.count,), case.type), torch.zeros(case.count, dtype=torch.int64)
    return {"out=": lambda: torch.searchsorted(sequence, values, out=out)}

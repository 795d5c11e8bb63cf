"""Products of groups of the benchmark in PyTorch, for bench/torch_twin.py.

PyTorch has no such function: a model calls mm for each, or bmm where all have one shape and lie together.
"""

import torch
from bench_torch_twin import filled


def variants(case):
    x = filled((case.products, case.rows, case.inner), case.type)
    weight = filled((case.products, case.inner, case.columns), case.type)
    y = torch.empty((case.products, case.rows, case.columns), dtype=case.type)
    groups = list(zip(x.unbind(), weight.unbind(), y.unbind()))

    def each():
        for a, b, c in groups:
            torch.mm(a, b, out=c)
    return {"mm, out=": each, "bmm, out=": lambda: torch.bmm(x, weight, out=y)}

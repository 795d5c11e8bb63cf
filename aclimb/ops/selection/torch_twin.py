"""Selections of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    shape = (case.rows, case.columns)
    some = filled(shape, case.type, lambda n: torch.randint(0, 2, (n,)))
    if case.function == "nonzero":
        ways = {"nonzero": lambda: torch.nonzero(some)}
        if case.type != torch.bool:
            ways["ne, nonzero"] = lambda: torch.nonzero(some.ne(0))
        return ways
    x, source, mask = filled(shape, case.type), filled(shape, case.type), some != 0
    if case.function == "masked_select":
        return {"masked_select": lambda: torch.masked_select(x, mask),
                "cumsum, put": lambda: by_sums(x, mask)}
    return {"masked_scatter_": lambda: x.masked_scatter_(mask, source)}


def by_sums(x, mask):
    """Each element goes to the number of the selected ones before it, which the next selected one overwrites."""
    sums = mask.view(-1).cumsum(0)
    out = torch.empty(x.numel() + 1, dtype=x.dtype)
    count = int(sums[-1])
    out.put_(sums.sub_(mask.view(-1).to(torch.int64)), x.view(-1))
    return out[:count]

"""The place of the largest element of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrix


def variants(case):
    x = matrix(case)
    out = torch.zeros(case.columns if case.dim == 0 else case.rows, dtype=torch.int64)
    ways = {"out=": lambda: torch.argmax(x, case.dim, out=out)}
    if case.layout == "transposed":
        ways["contiguous, out="] = lambda: torch.argmax(x.contiguous(), case.dim, out=out)
    # In vectors: the largest element of each part, then the first part that has it, then its place in that part.
    length = x.shape[case.dim]
    parts = max((n for n in range(2, 101) if length % n == 0 and n * n <= length), default=1)
    if parts > 1 and case.dim == 1:
        split = x.view(case.rows, parts, -1) if case.layout == "dense" else None

        def of_parts():
            some = x.contiguous().view(case.rows, parts, -1) if split is None else split
            part = some.amax(2).argmax(1)
            places = some[torch.arange(case.rows), part].argmax(1)
            return torch.add(places, part, alpha=length // parts, out=out)
        ways["amax of parts, argmax"] = of_parts
    elif parts > 1:
        columns = x.view(parts, -1, case.columns)

        def of_columns():
            part = columns.amax(1).argmax(0)
            some = columns.gather(0, part.expand(1, length // parts, case.columns))[0]
            return torch.add(some.argmax(0), part, alpha=length // parts, out=out)
        ways["amax of parts, argmax"] = of_columns
    single, order = torch.empty(x.shape), torch.arange(length, 0, -1, dtype=torch.float32)
    order = order if case.dim == 1 else order[:, None]

    def by_equality():
        source = single.copy_(x) if case.type != torch.float32 or case.layout != "dense" else x
        torch.eq(source, source.amax(case.dim, keepdim=True), out=single)
        return torch.sub(length, single.mul_(order).amax(case.dim).long(), out=out)
    if length < 1 << 24:
        ways["amax, eq, mul, amax"] = by_equality
    return ways

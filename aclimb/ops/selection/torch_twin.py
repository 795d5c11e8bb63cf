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
                "nonzero, take": lambda: torch.take(x, torch.nonzero(mask.view(-1)).view(-1)),
                "cumsum, put": lambda: by_sums(x, mask)}

    bits = x.view(torch.int32)

    def taken():
        places = mask.view(-1).cumsum(0).sub_(1).clamp_(min=0)
        new = torch.take(source, places).view(torch.int32).view(x.shape)
        some = mask.to(torch.int32).neg_()
        torch.bitwise_xor(bits, some.bitwise_and_(new.bitwise_xor_(bits)), out=bits)
        return x
    return {"masked_scatter_": lambda: x.masked_scatter_(mask, source), "cumsum, take, bits": taken}


def by_sums(x, mask):
    """Each element goes to the number of the selected ones before it, which the next selected one overwrites."""
    sums = mask.view(-1).cumsum(0)
    out = torch.empty(x.numel() + 1, dtype=x.dtype)
    count = int(sums[-1])
    out.put_(sums.sub_(mask.view(-1).to(torch.int64)), x.view(-1))
    return out[:count]

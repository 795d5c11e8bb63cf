"""Norms of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    x, p = filled((case.rows, case.columns), case.type), case.p
    out = filled((case.columns if case.dim == 0 else case.rows,), case.type, torch.zeros)
    powers = torch.empty(x.shape)

    def by_hand():
        torch.abs(x, out=powers) if case.type == torch.float32 else powers.copy_(x).abs_()
        if p == 0.5:
            return torch.square(powers.sqrt_().sum(case.dim), out=out)
        if p == 3:
            powers.mul_(powers.square())
        else:
            powers.pow_(p)
        return out.copy_(powers.sum(case.dim).pow_(1 / p))

    ways = {"norm, out=": lambda: torch.norm(x, p, case.dim, out=out),
            "vector_norm, out=": lambda: torch.linalg.vector_norm(x, p, case.dim, out=out)}
    if p != 2:
        ways["abs, power, sum"] = by_hand
    return ways

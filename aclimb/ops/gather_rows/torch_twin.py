"""Rows and columns by index in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix


def variants(case):
    dim = 0 if case.function == "embedding" else 1
    shape = (case.rows, case.columns)
    x, index = matrix(case), torch.randint(0, shape[dim], (case.indices,))
    out = filled(torch.empty(shape, device="meta").index_select(dim, index.to("meta")).shape, case.type, torch.zeros)
    ways = {"index_select, out=": lambda: torch.index_select(x, dim, index, out=out)}
    if case.layout == "transposed":
        ways["contiguous, out="] = lambda: torch.index_select(x.contiguous(), dim, index, out=out)
    if dim == 0:
        ways["embedding"] = lambda: torch.embedding(x, index)
    return ways

"""Products of matrices in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    def factor(rows, columns, transposed):
        batch = (case.batch,) if case.batch else ()
        shape = (columns, rows) if transposed else (rows, columns)
        value = filled(batch + shape, case.type, torch.randn)
        return value.transpose(-1, -2) if transposed else value

    first = factor(case.m, case.k, case.layout == "both")
    second = factor(case.k, case.n, case.layout != "plain")
    out = torch.empty_like(first @ second)
    ways = {"out=": lambda: torch.matmul(first, second, out=out)}
    if case.type == torch.float16:
        ways["float32"] = lambda: out.copy_(first.float() @ second.float())
    if not case.batch and case.m == 1:
        row, column = first.view(-1), second.t()
        if case.n == 1:
            ways["dot"] = lambda: torch.dot(row, column.view(-1))
        else:
            ways["mv, out="] = lambda: torch.mv(column, row, out=out.view(-1))
    return ways

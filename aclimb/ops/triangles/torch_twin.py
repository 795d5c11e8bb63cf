"""Triangles of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix


def variants(case):
    x = matrix(case)
    out = filled(x.shape, case.type, torch.zeros)
    def blocks(source, count=max(1, min(case.rows, 128))):
        for i in range(0, case.rows, count):
            rows = slice(i, i + count)
            out[rows, :i].copy_(source[rows, :i])
            torch.tril(source[rows, rows], out=out[rows, rows])
            out[rows, i + count:].zero_()
        return out
    ways = {"out=": lambda: torch.tril(x, out=out), "blocks": lambda: blocks(x)}
    if case.layout == "transposed":
        ways["contiguous, blocks"] = lambda: blocks(x.contiguous())
    return ways

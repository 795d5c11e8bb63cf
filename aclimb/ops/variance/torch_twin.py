"""The variance of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix

# Elements that stay in the caches between the functions.
BLOCK = 1 << 17


def variants(case):
    x = matrix(case)
    out = filled((case.columns if case.dim == 0 else case.rows,), case.type, torch.zeros)
    return {"out=": lambda: torch.var(x, [case.dim], out=out)} | by_hand(x, case.dim, out)


def by_hand(x, dim, out):
    """The mean, and the mean of the squares of the differences to it."""
    if x.stride(0) == 1 and x.stride(1) > 1:
        x, dim = x.t(), 1 - dim
    rows, columns = x.shape
    if dim == 1 and rows == 1:
        return {"mean, sub, dot, blocks": one_row(x.view(-1), out)}
    count = max(1, min(rows, BLOCK // columns))
    single, blocks = torch.empty((count, columns)), x.split(count)
    results = out.split(count) if dim == 1 else None
    half = x.dtype != torch.float32

    def of_rows():
        for block, result in zip(blocks, results):
            buffer = single[:len(block)]
            source = buffer.copy_(block) if half else block
            torch.sub(source, source.mean(1, keepdim=True), out=buffer)
            result.copy_(torch.linalg.vector_norm(buffer, 2, 1).square_().div_(columns - 1))
        return out

    def of_columns():
        mean, total = torch.mean(x, 0, dtype=torch.float32), torch.zeros(columns)
        for block in blocks:
            buffer = torch.sub(block, mean, out=single[:len(block)])
            total += torch.sum(torch.mul(buffer, buffer, out=buffer), 0)
        return out.copy_(total.div_(rows - 1))
    if dim == 0:
        return {"mean, sub, mul, sum, blocks": of_columns}
    return {"mean, sub, vector_norm, blocks": of_rows}


def one_row(x, out):
    blocks, buffer = x.split(BLOCK), torch.empty(BLOCK)

    def run():
        mean, total = x.mean(), torch.zeros((), dtype=torch.float64)
        for block in blocks:
            difference = torch.sub(block, mean, out=buffer[:len(block)])
            total += torch.dot(difference, difference)
        return out.fill_(total.div_(len(x) - 1))
    return run

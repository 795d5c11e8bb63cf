"""Running sums and products of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrix


def variants(case):
    shape, run = (case.rows, case.columns), getattr(torch, case.function)
    x = torch.randint(0, 1000, shape) if case.dtype == "int64" else matrix(case)
    out = torch.zeros(shape, dtype=x.dtype)
    ways = {"out=": lambda: run(x, case.dim, out=out)}
    if case.layout == "transposed":
        ways["contiguous, out="] = lambda: run(x.contiguous(), case.dim, out=out)
    if case.dim == 0 or case.rows >= 64:
        ways["row by row"] = row_by_row(x, case.dim, out, torch.add if case.function == "cumsum" else torch.mul)
    return ways


def row_by_row(x, dim, out, function):
    """Rows are added or multiplied in vectors; along rows, those of the transposed matrix."""
    single = x.dtype in (torch.float32, torch.int64)
    steps = torch.empty(out.shape if dim == 0 else out.t().shape, dtype=x.dtype if single else torch.float32)
    into = out if dim == 0 and single else steps
    source, results = x if dim == 0 else steps, into.unbind()
    lines = source.unbind()

    def run():
        if dim == 1:
            steps.copy_(x.t())
        results[0].copy_(lines[0])
        for i in range(1, len(lines)):
            function(results[i - 1], lines[i], out=results[i])
        return out if into is out else out.copy_(steps if dim == 0 else steps.t())
    return run

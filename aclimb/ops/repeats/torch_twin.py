"""Repetitions of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix


def variants(case):
    x, rows, columns = matrix(case), case.rows, case.columns
    if case.function == "repeat":
        out = filled((2 * rows, 2 * columns), case.type, torch.zeros)
        view, whole = out.view(2, rows, 2, columns), x[None, :, None, :].expand(2, rows, 2, columns)
        return {"repeat": lambda: x.repeat(2, 2), "copy_": lambda: view.copy_(whole)}
    out = filled((rows, 4 * columns), case.type, torch.zeros)
    view, whole = out.view(rows, columns, 4), x[:, :, None].expand(rows, columns, 4)
    return {"repeat_interleave": lambda: torch.repeat_interleave(x, 4, 1),
            "copy_": lambda: view.copy_(whole)}

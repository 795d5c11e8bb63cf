"""Fills of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import matrix


def variants(case):
    rows, columns = case.rows, case.columns
    out = matrix(case, torch.zeros)
    if case.function == "one_hot":
        indices = torch.randint(0, columns, (rows,))
        return {"one_hot": lambda: torch.nn.functional.one_hot(indices, columns),
                "zero_, scatter_": lambda: out.zero_().scatter_(1, indices[:, None], 1)}
    return {"eye": {"out=": lambda: torch.eye(rows, columns, out=out)},
            "zero": {"zero_": lambda: out.zero_()},
            "fill": {"fill_": lambda: out.fill_(1)}}[case.function]

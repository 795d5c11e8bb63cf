"""Triangular systems of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    upper = case.upper == 1
    sides, matrix = filled((case.rows, case.columns), case.type), filled((case.rows, case.rows), case.type)
    matrix /= case.rows
    out = torch.empty_like(sides)
    return {"solve_triangular": lambda: torch.linalg.solve_triangular(matrix, sides, upper=upper,
                                                                      unitriangular=True, out=out)}

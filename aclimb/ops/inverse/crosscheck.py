"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import Result, call

FUNCTIONS = ["Inverse"]


def check(client, rng, worst, name):
    dtype, rows = rng.choice([torch.float32, torch.float16, torch.float64]), rng.randint(1, 30)
    batch = [rng.randint(1, 4) for _ in range(rng.randint(0, 2))]
    if rng.random() < 0.2:
        batch, rows = batch[:1], rng.randint(60, 300)
    matrix = torch.randn(*batch, rows, rows) + 2 * rows**0.5 * torch.eye(rows)[torch.randperm(rows)]
    matrix = matrix.to(dtype)
    expected = torch.inverse(matrix.double())
    sizes = expected.abs() @ matrix.double().abs() @ expected.abs()
    call(client, rng, worst, name, matrix, Result(expected, dtype, sizes * rows), about=str(rows))

"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import Result, call

FUNCTIONS = ["TriangularSolve"]


def check(client, rng, worst, name):
    unit, upper, transpose = (rng.random() < 0.5 for _ in range(3))
    # Of float64 the diagonal counts always, as documented.
    dtype = torch.float32 if unit else rng.choice([torch.float32, torch.float64])
    batch, m, n = [rng.randint(1, 4) for _ in range(rng.randint(0, 2))], rng.randint(1, 40), rng.randint(1, 30)
    if rng.random() < 0.2:
        batch, m = batch[:1], rng.randint(60, 400)
    matrix, right = torch.randn(*batch, m, m) / m, torch.randn(*batch, m, n)
    matrix.diagonal(dim1=-2, dim2=-1).copy_(torch.rand(*batch, m) + 0.5)
    matrix, right = matrix.to(dtype), right.to(dtype)
    triangle = (torch.triu if upper else torch.tril)(matrix)

    def solved(matrix, right):
        matrix = matrix.double().mT if transpose else matrix.double()
        return torch.linalg.solve_triangular(matrix, right.double(), upper=upper != transpose, unitriangular=unit)

    # The sizes of all terms, whose signs may cancel.
    sizes = -matrix.abs()
    sizes.diagonal(dim1=-2, dim2=-1).abs_()
    call(client, rng, worst, name, right, matrix, upper, transpose, unit,
         Result(solved(matrix, right), dtype, solved(sizes, right.abs()) * 256), Result(triangle, exact=True),
         about=f"{upper} {transpose} {unit}")

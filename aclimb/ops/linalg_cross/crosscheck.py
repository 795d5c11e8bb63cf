"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import ELEMENTS, elements, run, shape_of, some_dim

NUMBERS = [dtype for dtype in ELEMENTS if dtype != torch.bool]
FUNCTIONS = ["LinalgCross"]


def check(client, rng, worst, name):
    dtype, shape = rng.choice(NUMBERS), shape_of(rng, ranks=(1, 4), longest=20)
    dim, given = some_dim(rng, len(shape))
    shape[dim] = 3
    self = elements(shape, dtype)
    # PyTorch wants as many dimensions of both.
    other = elements([1 if rng.random() < 0.15 else extent for extent in shape], dtype)
    exact = not dtype.is_floating_point
    scale = None if exact else torch.full((), 256.0) * (self.double().abs().max() * other.double().abs().max())
    run(client, rng, worst, name, [self, other, given], shape,
        lambda x, y: torch.linalg.cross(x, y.expand(shape), dim=dim), scale=scale, exact=exact)

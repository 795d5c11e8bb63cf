"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch
import torch.nn.functional as functional

from problem import FLOATS, Result, call, elements

FUNCTIONS = ["AffineGrid"]


def check(client, rng, worst, name):
    axes, corners, dtype = rng.choice([2, 3]), rng.random() < 0.5, rng.choice(FLOATS)
    size = [rng.randint(1, 4), rng.randint(1, 3), *(rng.randint(1, 20) for _ in range(axes))]
    theta = elements([size[0], axes, axes + 1], dtype)
    expected = functional.affine_grid(theta.double(), size, align_corners=corners)
    call(client, rng, worst, name, theta, lambda: client.ints(size), corners,
         Result(expected, dtype, theta.double().abs().sum()), about=f"{size} {corners}")

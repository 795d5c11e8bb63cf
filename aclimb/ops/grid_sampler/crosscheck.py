"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import math

import torch

from problem import FLOATS, Result, call, elements, wide

aten = torch.ops.aten
FUNCTIONS = ["GridSampler2D", "GridSampler2DBackward", "GridSampler3D", "GridSampler3DBackward"]


def check(client, rng, worst, name):
    dtype, backward = rng.choice([*FLOATS, torch.float64]), name.endswith("Backward")
    axes = 3 if "3D" in name else 2
    # PyTorch has no cubic curves in volumes.
    modes = [rng.randrange(5 - axes), rng.randrange(3), rng.random() < 0.5]
    # PyTorch 1 takes the other element where two are as near in a volume, as often with half types.
    dtype = torch.float32 if axes == 3 and modes[0] == 1 else dtype
    batch, channels, *sizes = (rng.randint(1, most) for most in (3, 4, *[9 if axes == 2 else 5] * (2 * axes)))
    input = elements([batch, channels, *sizes[:axes]], dtype)
    grid = (torch.rand([batch, *sizes[axes:], axes]) * 2.6 - 1.3).to(dtype)
    # PyTorch 1 may crash when it makes gradients at such places.
    if axes == 2 and modes[0] == 2 and not backward:
        for strange in (math.nan, math.inf, -math.inf):
            grid[torch.rand(grid.shape) < 0.03] = strange
    # Half types are computed in float32; the reference takes places from there.
    leaves = [(part.double() if dtype == torch.float64 else part.float()).requires_grad_() for part in (input, grid)]
    expected = (aten.grid_sampler_2d if axes == 2 else aten.grid_sampler_3d)(*leaves, *modes)
    about = str(modes)
    if not backward:
        scale = torch.full((), 256.0) * input.double().abs().max()
        return call(client, rng, worst, name, input, grid, *modes,
                    Result(wide(expected.detach()), dtype, scale), about=about)
    gradient = elements(list(expected.shape), dtype)
    of_input, of_grid = torch.autograd.grad(expected, leaves, gradient.to(expected.dtype))
    size = torch.full((), 256.0) * gradient.double().abs().max() * max(sizes)
    size_of_grid = size * channels * input.double().abs().max()
    mask = [rng.random() < 0.8, rng.random() < 0.8]
    results = [Result(wide(of_input), dtype, size), Result(wide(of_grid), dtype, size_of_grid)]
    # What the mask leaves out stays as it was.
    for wanted, result in zip(mask, results):
        if not wanted:
            result.before = torch.zeros(result.expected.shape, dtype=dtype)
            result.expected = torch.zeros_like(result.expected)
    return call(client, rng, worst, name, gradient, input, grid, *modes,
                lambda: client.bools(mask), *results, about=about)

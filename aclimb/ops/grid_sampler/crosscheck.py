"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, Result, call, elements, wide

aten = torch.ops.aten


def check(client, rng, worst):
    dtype, backward = rng.choice([*FLOATS, torch.float64]), rng.random() < 0.5
    modes = [rng.randrange(3), rng.randrange(3), rng.random() < 0.5]
    batch, channels, *sizes = (rng.randint(1, most) for most in (3, 4, 9, 9, 9, 9))
    input = elements([batch, channels, *sizes[:2]], dtype)
    grid = (torch.rand([batch, *sizes[2:], 2]) * 2.6 - 1.3).to(dtype)
    # Half types are computed in float32; the reference takes places from there.
    leaves = [(part.double() if dtype == torch.float64 else part.float()).requires_grad_() for part in (input, grid)]
    expected = aten.grid_sampler_2d(*leaves, *modes)
    about = str(modes)
    if not backward:
        scale = torch.full((), 256.0) * input.double().abs().max()
        return call(client, rng, worst, "GridSampler2D", input, grid, *modes,
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
    return call(client, rng, worst, "GridSampler2DBackward", gradient, input, grid, *modes,
                lambda: client.bools(mask), *results, about=about)

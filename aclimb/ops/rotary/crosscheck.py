"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, Result, call, elements

FUNCTIONS = ["RotaryPositionEmbedding", "RotaryPositionEmbeddingGrad", "ApplyRotaryPosEmb"]


def halves(x):
    left, right = x.chunk(2, -1)
    return torch.cat([-right, left], -1)


def neighbours(x):
    return torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)


def turned(x, cos, sin, mode):
    """x * cos + its pairs turned * sin, by the documented modes."""
    if mode == 3:
        x = torch.cat([x[..., ::2], x[..., 1::2]], -1)
    other = [halves, neighbours, lambda x: torch.cat([halves(half) for half in x.chunk(2, -1)], -1), halves][mode](x)
    return x * cos + other * sin


def rows(*factors):
    """The scale of a sum of two products of elements of a row, at most."""
    product = 512
    for factor in factors:
        product = product * factor.double().abs().amax(-1, keepdim=True)
    return product


def check(client, rng, worst, name):
    dtype, mode = rng.choice(FLOATS), rng.randrange(4)
    shape = [rng.randint(1, 6) for _ in range(3)] + [4 * rng.randint(1, 40)]
    x = elements(shape, dtype)
    angles = [extent if rng.random() < 0.5 else 1 for extent in shape[:3]] + shape[3:]
    if name == "ApplyRotaryPosEmb":
        angles = [*shape[:2], 1, shape[3]]
    cos, sin = elements(angles, dtype), elements(angles, dtype)
    wide = [tensor.double() for tensor in (x, cos, sin)]
    both = cos.double().abs() + sin.double().abs()
    if name == "ApplyRotaryPosEmb":
        key = elements([*shape[:2], rng.randint(1, 6), shape[3]], dtype)
        results = [Result(turned(of.double(), *wide[1:], 0), dtype, rows(of, both).expand(of.shape), before=of)
                   for of in (x, key)]
        return call(client, rng, worst, name, *results, cos, sin, 1)
    if name == "RotaryPositionEmbedding":
        return call(client, rng, worst, name, x, cos, sin, mode,
                    Result(turned(*wide, mode), dtype, rows(x, both).expand(x.shape)), about=str(mode))
    leaves = [tensor.requires_grad_() for tensor in wide]
    gradient = elements(shape, dtype)
    expected = torch.autograd.grad(turned(*leaves, mode), leaves, gradient.double())
    summed = [d for d in range(3) if angles[d] != shape[d]]
    of_angles = rows(x, gradient).sum(summed, keepdim=True) if summed else rows(x, gradient)
    results = [Result(expected[0], dtype, rows(gradient, both).expand(x.shape))]
    results += [Result(of, dtype, of_angles.expand(of.shape)) for of in expected[1:]]
    if rng.random() < 0.3:  # without the input its angles' gradients are left alone
        kept = elements(angles, dtype)
        return call(client, rng, worst, name, gradient, cos, sin, None, mode, results[0],
                    *(Result(kept, exact=True, before=kept) for _ in "cs"), about=str(mode))
    return call(client, rng, worst, name, gradient, cos, sin, x, mode, *results, about=str(mode))

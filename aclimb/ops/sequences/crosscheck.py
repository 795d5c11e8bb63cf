"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import ELEMENTS, Result, call

FUNCTIONS = ["Arange", "Range", "Linspace"]
KINDS = [kind for kind in ELEMENTS if kind != torch.bool]


def check(client, rng, worst, name):
    dtype = rng.choice(KINDS)
    floating = dtype.is_floating_point
    # Fractions that float32 has, so that the count of numbers is the same by any arithmetic.
    number = lambda most: rng.randint(0, most) / 8 if floating else rng.randint(0, most)  # noqa: E731
    start = number(50) * rng.choice([1, -1 if dtype != torch.uint8 else 1])
    if name == "Linspace":
        # Integers lose the fraction, which may be a rounding away from none.
        steps, end = rng.randint(1, 600), number(50)
        end = end if floating else start + (steps - 1) * (end % max(1, 60 // steps) if dtype != torch.uint8 else 0)
        expected = torch.linspace(start, end, steps, dtype=torch.float64)
        middle = [steps]
    else:
        step = number(30) or 1
        end = start + number(70) + (1 if name == "Range" or not floating else 0.125)
        if rng.random() < 0.5 and dtype != torch.uint8:
            step, end = -step, 2 * start - end
        expected = (torch.arange(start, end, step, dtype=torch.float64) if name == "Arange" else
                    start + step * torch.arange(int((end - start) / step) + 1, dtype=torch.float64))
        middle = [client.scalar(step)]
    terms = (abs(start) + abs(end)) * 256 * torch.ones(())
    result = Result(expected, dtype, terms, exact=not floating)
    call(client, rng, worst, name, client.scalar(start), client.scalar(end), *middle, result, about=f"{start} {end}")

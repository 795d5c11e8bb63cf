"""Elements and rows without repetitions in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    x = filled((case.rows, case.columns), case.type, lambda n: torch.randint(0, case.below, (n,)))
    if case.function == "unique_dim":
        return {"unique": lambda: torch.unique(x, dim=0, return_inverse=True, return_counts=True),
                "unique of numbers": lambda: of_numbers(x)}
    return {"unique_consecutive": lambda: torch.unique_consecutive(x, return_inverse=True, return_counts=True)}


def of_numbers(x):
    """Rows as numbers of as many digits, where that is possible."""
    low = x.amin(0)
    bases = (x.amax(0) - low + 1).tolist()
    place, places = 1, []
    for base in reversed(bases):
        places.append(place)
        place *= base
    if place >= 1 << 62:
        return torch.unique(x, dim=0, return_inverse=True, return_counts=True)
    places = places[::-1]
    numbers = torch.zeros(len(x), dtype=torch.int64)
    for column, least, factor in zip(x.unbind(1), low.tolist(), places):
        numbers.add_(column - least if least else column, alpha=factor)
    values, inverse, counts = torch.unique(numbers, return_inverse=True, return_counts=True)
    rows = torch.stack([torch.div(values, factor, rounding_mode="floor").remainder_(base)
                        for factor, base in zip(places, bases)], 1)
    return rows.add_(low), inverse, counts

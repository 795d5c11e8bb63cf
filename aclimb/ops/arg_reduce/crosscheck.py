"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import ELEMENTS, FLOATS, Result, call, shape_of, some_dim

FUNCTIONS = ["ArgMax", "ArgMin", "MaxDim", "MinDim"]


def check(client, rng, worst, name):
    shape, keep = shape_of(rng, ranks=(0 if name.startswith("Arg") else 1, 4)), rng.random() < 0.5
    dim, given = some_dim(rng, len(shape))
    dtype = rng.choice([*FLOATS, torch.int64, torch.int32])
    # Some elements are equal: the first of them counts, as PyTorch's does on a CPU.
    value = torch.randint(*rng.choice([(-100, 100), (-3, 4)]), shape).to(dtype)
    if dtype.is_floating_point and rng.random() < 0.3:
        value[torch.rand(shape) < 0.05] = float("nan")
    found, places = (torch.max if "Max" in name else torch.min)(value, dim, keepdim=keep)
    if name.startswith("Arg"):
        return call(client, rng, worst, name, value, given, keep, Result(places, exact=True))
    # Places in any dtype: this wide they are the same numbers.
    of_places = rng.choice([kind for kind in ELEMENTS if kind != torch.bool])
    return call(client, rng, worst, name, value, given, keep, Result(found, exact=True),
                Result(places, of_places, exact=True))

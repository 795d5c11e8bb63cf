"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import ELEMENTS, Result, call, elements, shape_of

FUNCTIONS = ["Slice", "SliceV2", "Flip", "Roll"]


def turned(rng, name, self):
    """The arguments of a function that moves indices within their dimensions."""
    dims = rng.sample(range(self.dim()), rng.randint(0, self.dim()))
    given = [rng.choice([d, d - self.dim()]) for d in dims]
    if name == "Flip":
        return [self, given, Result(self.flip(dims), exact=True)]
    shifts = [rng.randint(-50, 50) for _ in dims]
    return [self, shifts, given, Result(self.roll(shifts, dims) if dims else self, exact=True)]


def check(client, rng, worst, name):
    kinds = [kind for kind in ELEMENTS if name == "Flip" or kind not in (torch.int16, torch.float64)]
    value = elements(shape_of(rng, ranks=(1, 4)), rng.choice(kinds))
    if not name.startswith("Slice"):
        return call(client, rng, worst, name, *turned(rng, name, value))
    shape = value.shape
    dims = rng.sample(range(len(shape)), 1 if name == "Slice" else rng.randint(1, len(shape)))
    starts = [rng.randrange(shape[d]) for d in dims]
    ends = [rng.randint(start, shape[d]) for start, d in zip(starts, dims)]
    steps = [rng.randint(1, 3) for _ in dims]
    where = [slice(None)] * len(shape)
    for d, start, end, step in zip(dims, starts, ends, steps):
        where[d] = slice(start, end, step)
    passed = [dims[0], starts[0], ends[0], steps[0]] if name == "Slice" else [starts, ends, dims, steps]
    return call(client, rng, worst, name, value, *passed, Result(value[tuple(where)], exact=True))

"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import ELEMENTS, Result, call, elements, shape_of, some_dim

FUNCTIONS = ["Cat", "Stack", "SplitTensor", "SplitWithSize"]


def split(rng, name, self):
    """The arguments of a function that cuts self into parts."""
    dim, given = some_dim(rng, self.dim())
    extent = self.shape[dim]
    if name == "SplitTensor":
        length = rng.randint(1, extent + 2)
        return [self, length, given, [Result(part, exact=True) for part in self.split(length, dim)]]
    cuts = sorted(rng.randint(0, extent) for _ in range(rng.randint(0, 4)))
    lengths = [end - start for start, end in zip([0, *cuts], [*cuts, extent])]
    return [self, lengths, given, [Result(part, exact=True) for part in self.split(lengths, dim)]]


def check(client, rng, worst, name):
    dtype, shape = rng.choice(ELEMENTS), shape_of(rng, ranks=(1, 4))
    if name.startswith("Split"):
        return call(client, rng, worst, name, *split(rng, name, elements(shape, dtype)))
    dim, given = some_dim(rng, len(shape) + (name == "Stack"))
    parts = []
    for _ in range(rng.randint(1, 5)):
        extents = [rng.randint(0, 5) if name == "Cat" and d == dim else extent for d, extent in enumerate(shape)]
        parts.append(elements(extents, dtype))
    expected = (torch.cat if name == "Cat" else torch.stack)(parts, dim)
    return call(client, rng, worst, name, parts, given, Result(expected, exact=True))

"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, INTEGERS, Result, call, elements, shape_of, some_dim

FUNCTIONS = ["Repeat", "Expand", "RepeatInterleave", "RepeatInterleaveInt", "RepeatInterleaveWithDim",
             "RepeatInterleaveIntWithDim"]


def interleaved(rng, name, self):
    """The arguments of a function that repeats elements, or indices of a dimension, one after another."""
    of_dim, whole = name.endswith("WithDim"), "Int" in name.removeprefix("RepeatInterleave")
    dim, given = some_dim(rng, self.dim()) if of_dim else (None, None)
    extent = (self.shape[dim] if self.dim() else 1) if of_dim else self.numel()
    repeats = rng.randint(0, 3)
    if not whole:
        repeats = torch.randint(0, 4, [rng.choice([1, extent])])
    # A scalar has one element, and one dimension.
    expected = (self if self.dim() else self.view(1)).repeat_interleave(repeats, dim)
    if not whole:
        repeats = repeats.to(rng.choice([torch.int64, torch.int32]))
    size = expected.shape[dim] if of_dim else expected.numel()
    return [self, repeats, *([given] if of_dim else []), size, Result(expected, exact=True)]


def check(client, rng, worst, name):
    kinds = [*FLOATS, *INTEGERS, torch.bool]
    dtype = rng.choice([kind for kind in kinds if name != "Expand" or kind != torch.int16])
    shape = shape_of(rng, ranks=(1, 4), longest=12)
    self = elements(shape, dtype)
    if name == "Repeat":
        repeats = [rng.randint(0 if rng.random() < 0.1 else 1, 3) for _ in range(len(shape) + rng.randint(0, 1))]
        return call(client, rng, worst, name, self, repeats, Result(self.repeat(repeats), exact=True))
    if name == "Expand":
        some = [rng.random() < 0.4 for _ in shape]
        self = self[tuple(slice(0, 1) if of else slice(None) for of in some)]
        size = [rng.randint(1, 6) for _ in range(rng.randint(0, 2))]
        size += [rng.randint(1, 6) if of else rng.choice([extent, -1]) for of, extent in zip(some, shape)]
        return call(client, rng, worst, name, self, size, Result(self.expand(size), exact=True))
    return call(client, rng, worst, name, *interleaved(rng, name, self))

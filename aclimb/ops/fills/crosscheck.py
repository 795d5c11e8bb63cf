"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import ELEMENTS, Result, call, elements, shape_of, wide

FUNCTIONS = ["InplaceZero", "InplaceOne", "InplaceFillScalar", "InplaceFillTensor",
             "InplaceFillDiagonal", "Eye", "OneHot"]


def one_hot(rng):
    dtype, classes = rng.choice([torch.float32, torch.float16, torch.int32, torch.int64]), rng.randint(1, 9)
    self = torch.randint(0, classes, shape_of(rng))
    axis, on, off = rng.randrange(-1, self.dim() + 1), elements([1], dtype), elements(rng.choice([[], [1]]), dtype)
    hot = torch.nn.functional.one_hot(self, classes).movedim(-1, axis).bool()
    expected = torch.where(hot, wide(on), wide(off)).to(dtype)
    return [self.to(rng.choice([torch.int64, torch.int32])), ctypes.c_int(classes), on, off, axis,
            Result(expected, exact=True)]


def check(client, rng, worst, name):
    if name == "OneHot":
        return call(client, rng, worst, name, *one_hot(rng))
    dtype = rng.choice([kind for kind in ELEMENTS if name != "Eye" or kind != torch.float64])
    if name == "Eye":
        rows, columns = rng.randint(0, 40), rng.randint(0, 40)
        return call(client, rng, worst, name, rows, columns, Result(torch.eye(rows, columns).to(dtype), exact=True))
    self = elements(shape_of(rng), dtype)
    # Numbers that all of the dtypes have.
    value = rng.choice([0.125, -2.75] if dtype.is_floating_point else [0, 1, 100])
    passed = [client.scalar(value)]
    if name == "InplaceFillDiagonal":
        shape = [rng.randint(1, 40), rng.randint(1, 9)] if rng.random() < 0.7 else [rng.randint(1, 5)] * 3
        self, wrap = elements(shape, dtype), rng.random() < 0.5
        expected = self.clone().fill_diagonal_(value, wrap=wrap)
        return call(client, rng, worst, name, Result(expected, exact=True, before=self), *passed, wrap)
    if name in ("InplaceZero", "InplaceOne"):
        value, passed = int(name == "InplaceOne"), []
    elif name == "InplaceFillTensor":
        passed = [torch.randint(0, 100, rng.choice([[], [1]])).to(rng.choice(ELEMENTS))]
        value = passed[0].view([])
    return call(client, rng, worst, name, Result(self.clone().fill_(value), exact=True, before=self), *passed)

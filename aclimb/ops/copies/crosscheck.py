"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from aclimb_client import DTYPES
from problem import ELEMENTS, Result, call, elements, part_of, shape_of

FUNCTIONS = ["Cast", "Permute", "InplaceCopy"]


def check(client, rng, worst, name):
    self, to = elements(shape_of(rng, ranks=(0, 5)), rng.choice(ELEMENTS)), rng.choice(ELEMENTS)
    if name == "Permute":
        order = rng.sample(range(self.dim()), self.dim())
        return call(client, rng, worst, name, self, order, Result(self.permute(order), exact=True))
    # PyTorch's conversion of negative numbers to uint8 is the compiler's; by int64 it is that of C.
    converted = lambda x: (x.long() if to == torch.uint8 else x).to(to)  # noqa: E731
    if name == "Cast":
        return call(client, rng, worst, name, self, ctypes.c_int32(DTYPES[to]), Result(converted(self), exact=True))
    before = elements(list(self.shape), to)
    source = elements(part_of(list(self.shape), rng), self.dtype)
    copied = Result(converted(source).expand(self.shape), exact=True, before=before)
    return call(client, rng, worst, name, copied, source)

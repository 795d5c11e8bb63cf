"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import ELEMENTS, Result, call, elements, shape_of, wide

FUNCTIONS = ["Trace"]


def check(client, rng, worst, name):
    dtype, shape = rng.choice(ELEMENTS), shape_of(rng, ranks=(2, 2), longest=400)
    self = elements(shape, dtype)
    diagonal = wide(self).diagonal()
    total = diagonal.sum().reshape(rng.choice([[], [1]]))
    call(client, rng, worst, name, self,
         Result(total, dtype if dtype.is_floating_point else torch.int64,
                diagonal.double().abs().sum().reshape(total.shape) * 256, exact=not dtype.is_floating_point))

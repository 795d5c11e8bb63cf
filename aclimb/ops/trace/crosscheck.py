"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, INTEGERS, Result, call, elements

FUNCTIONS = ["Trace"]


def check(client, rng, worst, name):
    dtype = rng.choice([*FLOATS, torch.float64, *INTEGERS, torch.bool])
    self = elements([rng.randint(1, 40), rng.randint(1, 40)], dtype)
    if not dtype.is_floating_point:
        # PyTorch has no trace of BOOL.
        expected = self.long().trace()
        return call(client, rng, worst, name, self, Result(expected, exact=True))
    return call(client, rng, worst, name, self,
                Result(self.double().trace(), dtype, self.double().diagonal().abs().sum()))

"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, elements, run, shape_of, terms_of

FUNCTIONS = ["Softshrink"]


def check(client, rng, worst, name):
    self, lambd = elements(shape_of(rng), rng.choice(FLOATS)), rng.choice([0.0, 0.5, 0.3125 + 2**-14])
    run(client, rng, worst, name, [self, lambda: client.scalar(lambd)], list(self.shape),
        lambda x: torch.nn.functional.softshrink(x, lambd), scale=terms_of(self))

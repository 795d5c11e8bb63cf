"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import ELEMENTS, Result, around, call, elements, plain, shape_of, with_twins

CALLS = {"Tril": torch.tril, "Triu": torch.triu}
FUNCTIONS = with_twins(CALLS, CALLS)


def check(client, rng, worst, name):
    self, diagonal = elements(shape_of(rng, ranks=(2, 4)), rng.choice(ELEMENTS)), rng.randint(-8, 8)
    # PyTorch has no triangles of bfloat16.
    values = self.float() if self.dtype == torch.bfloat16 else self
    result = Result(CALLS[plain(name)](values, diagonal).to(self.dtype), exact=True)
    call(client, rng, worst, name, *around(name, self, [diagonal], result))

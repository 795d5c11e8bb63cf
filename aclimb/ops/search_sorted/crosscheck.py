"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import ELEMENTS, Result, call, elements, shape_of

NUMBERS = [dtype for dtype in ELEMENTS if dtype not in (torch.bfloat16, torch.bool)]
FUNCTIONS = ["SearchSorted", "SearchSorteds"]


def check(client, rng, worst, name):
    dtype = rng.choice(NUMBERS)
    narrow, right, sort = (rng.random() < 0.5 for _ in range(3))
    single = name == "SearchSorteds"
    # A scalar travels as int64 or float32.
    self = elements([], torch.float16).to(dtype) if single else elements(shape_of(rng, ranks=(1, 4)), dtype)
    length = rng.choice([0, 1, 5, 70])
    lines = [] if single or rng.random() < 0.5 else list(self.shape[:-1])
    sequence = elements([*lines, length], dtype)
    sorter = torch.argsort(sequence, dim=-1) if sort else None
    if not sort:
        sequence = sequence.sort(dim=-1)[0]
    value = self.item() if single else self
    expected = torch.searchsorted(sequence, value, out_int32=narrow, right=right, sorter=sorter)
    given = (lambda: client.scalar(value)) if single else self
    call(client, rng, worst, name, sequence, given, narrow, right, sorter, Result(expected, exact=True))

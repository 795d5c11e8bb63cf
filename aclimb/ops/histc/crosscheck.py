"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import Result, call, elements, shape_of

FUNCTIONS = ["Histc"]


def check(client, rng, worst, name):
    dtype = rng.choice([torch.float32, torch.float16, torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8])
    self, bins = elements(shape_of(rng), dtype), rng.randint(1, 50)
    least = rng.choice([0.0, -2.0, -1.5])
    most = least + rng.choice([0.0, 2.0, 3.75])
    wide = self.float() if dtype.is_floating_point else self.double()
    expected = torch.histc(wide, bins, least, most).to(dtype)
    call(client, rng, worst, name, self, bins, client.scalar(least), client.scalar(most), Result(expected, exact=True))

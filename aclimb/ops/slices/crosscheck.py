"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import FLOATS, run, shape_of


def check(client, rng, worst):
    name = rng.choice(["Slice", "SliceV2"])
    dtype, shape = rng.choice([*FLOATS, torch.int64, torch.int8]), shape_of(rng, ranks=(1, 4))
    dims = rng.sample(range(len(shape)), 1 if name == "Slice" else rng.randint(1, len(shape)))
    starts = [rng.randrange(shape[d]) for d in dims]
    ends = [rng.randint(start, shape[d]) for start, d in zip(starts, dims)]
    steps = [rng.randint(1, 3) for _ in dims]
    where = [slice(None)] * len(shape)
    for d, start, end, step in zip(dims, starts, ends, steps):
        where[d] = slice(start, end, step)
    value = torch.randint(-100, 100, shape).to(dtype)
    if name == "Slice":
        passed = [lambda n=n: ctypes.c_int64(n) for n in (dims[0], starts[0], ends[0], steps[0])]
    else:
        passed = [lambda n=n: client.ints(n) for n in (starts, ends, dims, steps)]
    run(client, rng, worst, name, [value, *passed], list(value[tuple(where)].shape),
        lambda x: x[tuple(where)], exact=True)

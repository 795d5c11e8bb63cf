"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import Result, call


def check(client, rng, worst):
    shape = rng.choice([[], [1]])
    scale = torch.full(shape, 2.0 ** rng.randint(-10, 20))
    interval = rng.randint(1, 5)
    tracker = torch.full(shape, rng.randrange(interval), dtype=torch.int32)
    found = torch.full(shape, rng.choice([0.0, 0.0, 1.0]))
    growth, backoff = rng.choice([2.0, 1.5]), rng.choice([0.5, 0.25])
    new_scale, new_tracker = scale.clone().view([]), tracker.clone().view([])
    torch._amp_update_scale_(new_scale, new_tracker, found.view([]), growth, backoff, interval)
    call(client, rng, worst, "AmpUpdateScale", scale, tracker, found, growth, backoff, interval,
         Result(new_scale.view(shape), exact=True), Result(new_tracker.view(shape), exact=True))

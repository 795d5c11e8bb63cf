"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import Result, call

FUNCTIONS = ["AmpUpdateScale"]


def check(client, rng, worst, name):
    shape = rng.choice([[], [1]])
    scale = torch.full(shape, 2.0 ** rng.randint(-10, 20))
    interval = rng.randint(1, 5)
    tracker = torch.full(shape, rng.randrange(interval), dtype=torch.int32)
    found = torch.full(shape, rng.choice([0.0, 0.0, 1.0]))
    growth, backoff = rng.choice([2.0, 1.5]), rng.choice([0.5, 0.25])
    # As torch.cuda.amp.GradScaler documents it, whose own function is not on the CPU.
    steps = 0 if found.any() else int(tracker) + 1
    factor = backoff if found.any() else growth if steps == interval else 1.0
    new_scale, new_tracker = scale * factor, torch.full_like(tracker, steps % interval)
    call(client, rng, worst, name, scale, tracker, found, growth, backoff, interval,
         Result(new_scale, exact=True), Result(new_tracker, exact=True))

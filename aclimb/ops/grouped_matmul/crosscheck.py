"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, Result, call, elements

FUNCTIONS = ["GroupedMatmulV3"]


def check(client, rng, worst, name):
    dtype, biased = rng.choice(FLOATS), rng.random() < 0.5
    lefts, rights, biases, results = [], [], [], []
    for _ in range(rng.randint(1, 5)):
        outer, k, n = [rng.randint(1, 6) for _ in range(rng.randint(1, 3))], rng.randint(1, 60), rng.randint(1, 60)
        x, weight = elements([*outer, k], dtype), elements([k, n], dtype)
        bias = elements([n], torch.float16 if dtype == torch.float16 else torch.float32)
        lefts, rights, biases = [*lefts, x], [*rights, weight], [*biases, bias]
        added = bias.double() * biased
        terms = (x.double().abs() @ weight.double().abs() + added.abs()) * 256
        results.append(Result(x.double() @ weight.double() + added, dtype, terms))
    call(client, rng, worst, name, lefts, rights, biases if biased else None, None, None, None, None, None,
         rng.randrange(2), -1, results)

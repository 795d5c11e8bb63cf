"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, Result, call, elements, run, shape_of, wide

FUNCTIONS = ["Prelu", "PreluBackward"]


def check(client, rng, worst, name):
    dtype, shape = rng.choice(FLOATS), shape_of(rng, ranks=(1, 5), longest=20)
    self = elements(shape, dtype)
    channels = shape[1] if len(shape) > 1 else 1
    weight = elements([rng.choice([1, channels])], dtype)
    if name == "Prelu":
        run(client, rng, worst, name, [self, weight], shape, torch.nn.functional.prelu)
        return
    gradient = elements(shape, dtype)
    leaves = [wide(self).requires_grad_(), wide(weight).requires_grad_()]
    result = torch.nn.functional.prelu(*leaves)
    of_self, of_weight = torch.autograd.grad(result, leaves, wide(gradient), retain_graph=True)
    terms = torch.nn.functional.prelu(-wide(self).abs(), leaves[1])
    size = torch.autograd.grad(terms, leaves[1], wide(gradient).abs())[0].abs() * 256
    call(client, rng, worst, name, gradient, self, weight, Result(of_self, dtype),
         Result(of_weight, dtype, scale=size))

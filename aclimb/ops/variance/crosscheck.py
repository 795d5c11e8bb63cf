"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, Result, call, shape_of, terms_of

CALLS = {"VarCorrection": torch.var, "Std": torch.std, "Var": torch.var, "VarMean": torch.var,
         "StdMeanCorrection": torch.std}
FUNCTIONS = list(CALLS)


def check(client, rng, worst, name):
    dtype, shape = rng.choice(FLOATS), shape_of(rng, ranks=(1, 4))
    dims = rng.sample(range(len(shape)), rng.randint(1, len(shape)))
    correction, keep = rng.choice([0, 1]), rng.random() < 0.5
    # Of a single element nothing is left to divide by.
    if torch.Size([shape[d] for d in dims]).numel() == 1:
        correction = 0
    value = (torch.randn(shape) + rng.choice([0.0, 3.0])).to(dtype)

    def function(x):
        # PyTorch before 2.0 takes no correction.
        return CALLS[name](x, dims, unbiased=correction == 1, keepdim=keep)

    expected, theirs = function(value.double()), None
    try:
        theirs = function(value)
    except RuntimeError as error:
        if "not implemented for" not in str(error):
            raise
    results = [Result(expected, dtype, terms_of(expected, torch.ones(())), theirs=theirs)]
    if "Mean" in name:
        results.append(Result(value.double().mean(dims, keep), dtype, value.double().abs().mean(dims, keep) * 256))
    call(client, rng, worst, name, value, dims, correction == 1 if name == "Var" else correction, keep, *results)

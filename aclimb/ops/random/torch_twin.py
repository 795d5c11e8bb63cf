"""Random numbers of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    if case.function == "permutation":
        order = torch.empty(case.columns, dtype=case.type)
        return {"randperm, out=": lambda: torch.randperm(case.columns, out=order)}
    x = filled((case.rows, case.columns), case.type, torch.ones)
    single = torch.empty(x.shape)
    if case.function == "multinomial":
        weights = x + torch.rand(case.rows, case.columns)
        return {"multinomial": lambda: torch.multinomial(weights, 1)}
    in_float32 = {} if case.type == torch.float32 else {"in float32": lambda: x.copy_(single.normal_())}
    return {
        "normal": {"normal_": lambda: x.normal_(), **in_float32},
        "uniform": {"uniform_": lambda: x.uniform_()},
        "whole": {"random_": lambda: x.random_(0, 1000)},
        "bernoulli": {"bernoulli_": lambda: x.bernoulli_(0.5),
                      "uniform_, lt": lambda: torch.lt(single.uniform_(), 0.5, out=x)},
    }[case.function]

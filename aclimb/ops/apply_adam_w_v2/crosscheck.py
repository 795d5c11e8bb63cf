"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import FLOATS, Result, call, elements, shape_of

FUNCTIONS = ["ApplyAdamWV2"]


def check(client, rng, worst, name):
    dtype, shape = rng.choice(FLOATS), shape_of(rng)
    var, mean, gradient = (elements(shape, dtype) for _ in range(3))
    squares, largest = (elements(shape, dtype).abs() for _ in range(2))
    amsgrad, maximize, steps = rng.random() < 0.5, rng.random() < 0.5, rng.choice([0, 1, 7, 1000])
    betas = rng.choice([0.5, 0.875]), rng.choice([0.75, 0.96875])
    lr, decay, eps = rng.choice([2**-10, 0.25]), 0.125, 2**-7
    weight = torch.nn.Parameter(var.double())
    weight.grad = gradient.double()
    step = torch.optim.AdamW([weight], lr, betas, eps, decay, amsgrad, maximize=maximize)
    state = {"step": torch.tensor(float(steps)), "exp_avg": mean.double(), "exp_avg_sq": squares.double(),
             "max_exp_avg_sq": largest.double()}
    step.state[weight] = state
    step.step()
    of_mean = (mean.double().abs() * betas[0] + gradient.double().abs() * (1 - betas[0])) * 256
    root = (state["max_exp_avg_sq"] if amsgrad else state["exp_avg_sq"]).sqrt()
    share = (1 - betas[0] ** (steps + 1)) / (1 - betas[1] ** (steps + 1)) ** 0.5
    of_var = var.double().abs() * 256 + lr * of_mean / share / (root + eps * 2**-6)
    kept = Result(state["max_exp_avg_sq"], dtype, before=largest) if amsgrad else None
    call(client, rng, worst, name, Result(weight.detach(), dtype, of_var, before=var),
         Result(state["exp_avg"], dtype, of_mean, before=mean), Result(state["exp_avg_sq"], dtype, before=squares),
         kept, gradient, torch.full(rng.choice([[], [1]]), steps, dtype=rng.choice([torch.float32, torch.int64])),
         *map(ctypes.c_float, (lr, *betas, decay, eps)), amsgrad, maximize, about=f"{steps} {amsgrad} {maximize}")

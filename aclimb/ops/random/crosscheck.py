"""One random problem of a function, by Aclimb and by its distribution; tests/crosscheck runs many."""

import ctypes
import math

import torch

from aclimb_client import DTYPES
from comparison import Mismatch
from problem import ELEMENTS, FLOATS, INTEGERS, Result, call, elements

FUNCTIONS = ["InplaceNormal", "InplaceUniform", "InplaceRandom", "Bernoulli", "InplaceBernoulli", "Randperm",
             "DropoutGenMask", "DropoutGenMaskV2", "DropoutDoMask", "InplaceNormalTensor", "InplaceUniformTensor",
             "InplaceRandomTensor", "BernoulliTensor", "InplaceBernoulliTensor", "NormalFloatFloat",
             "NormalTensorFloat", "NormalFloatTensor", "NormalTensorTensor", "Multinomial"]
NUMBERS = [kind for kind in ELEMENTS if kind != torch.bool]
WIDE = [torch.float32, torch.float16, torch.float64]  # of the functions with normal tensors, as documented
# A share of n numbers is further off than this over sqrt(n) in one of thirty million problems.
FAR = 3.0


class Drawn(Result):
    """A tensor of numbers that a call draws."""

    def __init__(self, shape, dtype):
        super().__init__(torch.zeros(shape), dtype)

    def judge(self, worst, what):
        self.got, self.what = self.tensor.read(), what


def expect(holds, what):
    if not holds:
        raise Mismatch(what)


def follows(values, share, what, slack=0):
    """Whether the share of values up to each is share(value), by Kolmogorov's and Smirnov's test; 2^-8 for halves.
    slack is how much of the range lies between two numbers of the dtype.
    """
    found, counts = values.flatten().unique(return_counts=True)
    off = (counts.cumsum(0) / values.numel() - share(found)).abs().max()
    expect(off <= FAR / math.sqrt(values.numel()) + 2**-8 + slack, f"{what}: a share of values is {float(off):.4f} off")


def whole(share, dtype):
    """The shares of numbers that lose their fraction in whole dtypes."""
    return share if dtype.is_floating_point else lambda x: torch.where(x < 0, share(x), share(x + 1))


def normal(x):
    return 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def twice(client, rng, worst, name, shape, dtype, before, behind, others):
    """Numbers that the same seed gives twice, whatever the strides, and `others`, as of another seed, do not."""
    results = []
    for middle in (behind, behind, others):
        results.append(Drawn(shape, dtype))
        passed = [results[-1], *before, *middle] if name.startswith("Inplace") else [*before, *middle, results[-1]]
        call(client, rng, worst, name, *passed)
    first, again, other = (result.got for result in results)
    expect(torch.equal(first, again), f"{results[0].what}: the same seed gives other numbers")
    what = results[0].what
    expect(first.double().unique().numel() < 2 or not torch.equal(first, other), f"{what}: another seed, same numbers")
    return first, what


def masked(client, rng, worst, name, seeds):
    shape, prob = [rng.randint(20, 60), rng.randint(20, 60)], rng.randint(1, 7) / 8
    count = math.prod(shape)
    room = -(-count // 128) * 16
    if name == "DropoutDoMask":
        self, mask = elements(shape, rng.choice(FLOATS)), torch.randint(0, 256, [room], dtype=torch.uint8)
        bits = (mask[:, None] >> torch.arange(8) & 1).flatten()[:count].view(shape)
        return call(client, rng, worst, name, self, mask, prob, Result(self.double() / (1 - prob) * bits, self.dtype))
    of_type = [ctypes.c_int(DTYPES[rng.choice(FLOATS)])] if name.endswith("V2") else []
    got, what = twice(client, rng, worst, name, [room], torch.uint8, [shape, prob], *([*of, *of_type] for of in seeds))
    bits = (got[:, None] >> torch.arange(8) & 1).flatten()[:count].double()
    return expect(abs(bits.mean() - 1 + prob) <= FAR / math.sqrt(count), f"{what}: {bits.mean()} of the bits are 1")


def categories(client, rng, worst, seeds):
    weights, again = torch.rand(rng.randint(2, 40)), rng.random() < 0.5
    weights[torch.rand(weights.shape) < 0.2] = 0
    weights[0] = 0.5
    self = weights.to(rng.choice([torch.float32, torch.float64])).repeat(2000, 1)
    samples = rng.randint(1, int((weights > 0).sum()))
    got, what = twice(client, rng, worst, "Multinomial", [2000, samples], torch.int64, [self, samples, again], *seeds)
    follows((got if again else got[:, 0]).double(), lambda x: (weights.cumsum(0) / weights.sum())[x.long()], what)
    expect((weights[got] > 0).all(), f"{what}: a category without weight")
    expect(again or all(row.unique().numel() == samples for row in got), f"{what}: a category twice")


def permuted(client, rng, worst, seeds):
    dtype = rng.choice(NUMBERS)
    n = rng.randint(1, {torch.int8: 128, torch.uint8: 256, torch.bfloat16: 257, torch.float16: 2049}.get(dtype, 3000))
    got, what = twice(client, rng, worst, "Randperm", [n], dtype, [n], *seeds)
    expect(torch.equal(got.double().sort()[0], torch.arange(n).double()), f"{what}: not each number once")
    follows(got.double()[:n // 2 + 1], lambda x: (x + 1) / n, what)


def check(client, rng, worst, name):
    seed, offset = rng.randrange(2**40), rng.choice([0, 4, 1000])
    seeds = [[seed, offset], [seed + 1, offset] if rng.random() < 0.5 else [seed, offset + 4000]]
    if name == "Randperm":
        return permuted(client, rng, worst, seeds)
    if name == "Multinomial":
        return categories(client, rng, worst, seeds)
    if name.startswith("Dropout"):
        return masked(client, rng, worst, name, seeds)
    shape, dtype, slack = [rng.randint(30, 90), rng.randint(30, 90)], rng.choice(NUMBERS), 0
    if "Bernoulli" in name:
        prob = torch.rand(rng.choice([shape, shape[1:], [1]])) if name.endswith("Tensor") else torch.full([1], 0.375)
        before = [prob] if name.endswith("Tensor") else [client.scalar(0.375)]
        before = before if name.startswith("Inplace") else [torch.zeros(shape), *before]
        got, what = twice(client, rng, worst, name, shape, rng.choice(ELEMENTS), before, *seeds)
        expect(((got == 0) | (got == 1)).all(), f"{what}: not only 0 and 1")
        off = (got.double() - prob) * (1 + (prob > 0.5))
        return expect(off.mean().abs() <= 2 * FAR / math.sqrt(got.numel()), f"{what}: {off.mean()} off")
    if name.startswith("Inplace") and name.endswith("Tensor"):
        # The seed and a part of the offset are on the device.
        passed = [[torch.tensor([of]), torch.tensor([at // 2]), at - at // 2] for of, at in seeds]
    else:
        passed = seeds
    if "Random" in name:
        least = rng.randint(0 if dtype == torch.uint8 else -100, 50)
        end = rng.randint(least + 1, 100)
        before = [least, end]
        got, what = twice(client, rng, worst, name, shape, dtype, before, *passed)
        expect(got.min() >= least and got.max() < end, f"{what}: outside of {least} to {end}")
        share = lambda x: (x - least + 1) / (end - least)  # noqa: E731
        values = got.double()
    elif "Uniform" in name:
        least = float(rng.randint(0 if dtype == torch.uint8 else -40, 20))
        end = least + rng.randint(1, 60)
        before = [least, end]
        got, what = twice(client, rng, worst, name, shape, dtype, before, *passed)
        below = got.max() < end or (end <= 0 and not dtype.is_floating_point and got.max() == end)
        expect(got.min() >= least and below, f"{what}: outside of {least} to {end}")
        if dtype.is_floating_point:
            slack = torch.finfo(dtype).eps * max(abs(least), abs(end)) / (end - least)
        share, values = whole(lambda x: ((x - least) / (end - least)).clamp(0, 1), dtype), got.double()
    else:
        mean = 100.0 if dtype == torch.uint8 else rng.choice([0.0, 3.0, -10.0])
        std = rng.choice([0.5, 2.0, 8.0])
        tensors = {"TensorFloat": [1, 0], "FloatTensor": [0, 1], "TensorTensor": [1, 1]}.get(name[6:], [0, 0])
        means = elements(shape, torch.float32) if tensors[0] else mean
        stds = torch.rand(shape) + 0.5 if tensors[1] else std
        dtype = rng.choice(WIDE) if name.startswith("Normal") else dtype
        before = [of if torch.is_tensor(of) else ctypes.c_float(of) for of in (means, stds)]
        got, what = twice(client, rng, worst, name, shape, dtype, before, *passed)
        values, share = got.double(), whole(lambda x: normal((x - mean) / std), dtype)
        if any(tensors):
            values, share = (values - means) / stds, normal
    if name.startswith("Inplace") and name.endswith("Tensor"):
        same, _ = twice(client, rng, worst, name[:-6], shape, dtype, before, *seeds)
        expect(torch.equal(same, got), f"{what}: other numbers than of a seed that the host passes")
    return follows(values, share, what, slack)

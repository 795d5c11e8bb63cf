"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import Result, call, elements

FUNCTIONS = ["WeightQuantBatchMatmulV2", "WeightQuantBatchMatmulV3"]


def check(client, rng, worst, name):
    # PyTorch has no INT4, whose twin of two in a byte the suite compares with its truth.
    dtype = rng.choice([torch.float16, torch.bfloat16])
    m, k, n = rng.randint(1, 40), rng.randint(1, 200), rng.randint(1, 60)
    size = rng.choice([0, 32, 64])
    size = size if size < k else 0
    groups = -(-k // size) if size else 1
    shape = [groups, n] if size else rng.choice([[1], [n], [1, n]])
    x, weight = elements([m, k], dtype), elements([k, n], torch.int8)
    scale = (torch.rand(shape) / 16 + 0.01).to(dtype)
    offset = elements(shape, dtype) if rng.random() < 0.5 else None
    bias = elements(rng.choice([[n], [1, n]]), torch.float16 if dtype == torch.float16 else torch.float32)
    bias = bias if rng.random() < 0.5 else None

    def of_rows(of):
        """The numbers of each row of the weight."""
        return of.double().repeat_interleave(size, 0)[:k] if size else of.double().reshape(1, -1)

    moved = weight.double() + (0 if offset is None else of_rows(offset))
    sizes = weight.double().abs() + (0 if offset is None else of_rows(offset).abs())
    added = torch.zeros(n).double() if bias is None else bias.double()
    expected = x.double() @ (moved * of_rows(scale)) + added
    terms = (x.double().abs() @ (sizes * of_rows(scale)) + added.abs()) * 256
    inner = [ctypes.c_int(rng.randrange(2))] if name.endswith("V3") else []
    call(client, rng, worst, name, x, weight, scale, offset, None, None, bias, ctypes.c_int(size), *inner,
         Result(expected, dtype, terms), about=str(size))

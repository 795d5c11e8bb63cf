"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch
import torch.nn.functional as functional

from comparison import compare, poisoned, view_of
from problem import FLOATS, shape_of


def rms(x, eps):
    return torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)


def moments(x, dims, eps):
    """Mean and reciprocal deviation of float64 values along the dimensions, which stay."""
    variance = x.var(dims, unbiased=False, keepdim=True)
    return x.mean(dims, keepdim=True), torch.rsqrt(variance + eps)


def check(client, rng, worst):
    name = rng.choice(["LayerNorm", "RmsNorm", "GroupNorm", "BatchNorm"])
    dtype, eps = rng.choice(FLOATS), rng.choice([1e-5, 1e-3, 0.1])
    drawn = lambda *shape: (torch.randn(shape) * 2 + 0.5).to(dtype)  # noqa: E731
    of = lambda value: client.tensor(view_of(value, rng))  # noqa: E731
    empty = lambda shape, kind: client.tensor(poisoned(shape, kind, rng))  # noqa: E731
    number = ctypes.c_double(eps)
    if name in ("LayerNorm", "RmsNorm"):
        shape = shape_of(rng, ranks=(1, 3), longest=200) + [rng.randint(2, 300)]
        x, weight, bias = drawn(*shape), drawn(shape[-1]), drawn(shape[-1])
        wide = [value.double() for value in (x, weight, bias)]
        out, rstd = empty(shape, dtype), empty(shape[:-1] + [1], torch.float32)
        if name == "RmsNorm":
            client.run("aclnnRmsNorm", of(x), of(weight), number, out, rstd)
            expected, peer = wide[0] * rms(wide[0], eps) * wide[1], None
            compare(worst, rstd.read(), rms(wide[0], eps), torch.float32, rms(wide[0], eps), f"RmsNorm.rstd {shape}")
        else:
            kept = [empty(shape[:-1] + [1], dtype) for _ in range(2)]
            client.run("aclnnLayerNorm", of(x), client.ints(shape[-1:]), of(weight), of(bias), number, out, *kept)
            statistics = moments(wide[0], [-1], eps)
            expected = functional.layer_norm(wide[0], shape[-1:], wide[1], wide[2], eps)
            peer = None if dtype == torch.float16 else functional.layer_norm(x, shape[-1:], weight, bias, eps)
    else:
        group = rng.randint(1, 4)
        shape = [rng.randint(2, 5), group * rng.randint(1, 6), rng.randint(2, 30)]
        x, weight, bias = drawn(*shape), drawn(shape[1]), drawn(shape[1])
        wide = [value.double() for value in (x, weight, bias)]
        out, peer = empty(shape, dtype), None
        if name == "GroupNorm":
            kept = [empty([shape[0], group], dtype) for _ in range(2)]
            client.run("aclnnGroupNorm", of(x), of(weight), of(bias), *map(ctypes.c_int64, (*shape, group)), number,
                       out, *kept)
            statistics = moments(wide[0].view(shape[0], group, -1), [-1], eps)
            expected = functional.group_norm(wide[0], group, wide[1], wide[2], eps)
        else:
            kept = [empty(shape[1:2], torch.float32) for _ in range(2)]
            single = lambda value: of(value.float())  # noqa: E731
            client.run("aclnnBatchNorm", of(x), single(weight), single(bias), None, None, ctypes.c_bool(True),
                       ctypes.c_double(0.1), number, out, *kept)
            statistics = moments(wide[0], [0, 2], eps)
            expected = functional.batch_norm(wide[0], None, None, wide[1], wide[2], True, 0.1, eps)
    if name != "RmsNorm":
        for tensor, value, text in zip(kept, statistics, ("mean", "rstd")):
            got = tensor.read()
            value = value.reshape(got.shape)
            scale = torch.maximum(value.abs(), x.abs().double().mean() * 256 if text == "mean" else value.abs())
            compare(worst, got, value, got.dtype, scale, f"{name}.{text} {shape} {dtype} {eps}")
    scale = torch.as_tensor(32.0 * (1 + wide[1].abs().max() * 4 + wide[2].abs().max()))
    compare(worst, out.read(), expected, dtype, torch.maximum(expected.abs(), scale), f"{name} {shape} {dtype} {eps}",
            peer)

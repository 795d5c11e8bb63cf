"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch
import torch.nn.functional as functional

from problem import FLOATS, Result, call, shape_of

ROWS = ["LayerNorm", "LayerNormWithImplMode", "RmsNorm", "AddLayerNorm", "AddRmsNorm"]
FUNCTIONS = [*ROWS, "GroupNorm", "BatchNorm", "LayerNormBackward", "RmsNormGrad", "GroupNormBackward",
             "BatchNormBackward"]


def moments(x, dims, eps):
    """Mean and reciprocal deviation of float64 values along the dimensions, which stay."""
    variance = x.var(dims, unbiased=False, keepdim=True)
    return x.mean(dims, keepdim=True), torch.rsqrt(variance + eps)


def rms(x, eps):
    return torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)


def scale_of(*parameters):
    """How large a normalized element is at most, nearly, times and plus the parameters."""
    weight, bias = parameters if len(parameters) == 2 else (parameters[0], torch.zeros(()))
    return torch.as_tensor(32.0 * (1 + weight.double().abs().max() * 4 + bias.double().abs().max()))


def statistics(x, pair, shape, dtype):
    """Results of a mean, which may cancel, and of a reciprocal deviation."""
    mean, rstd = (of.reshape(shape) for of in pair)
    sizes = torch.maximum(mean.abs(), x.double().abs().mean() * 256)
    return [Result(mean, dtype, sizes), Result(rstd, dtype)]


def of_rows(rng, name, dtype, drawn, eps):
    """The arguments of a function that normalizes rows, perhaps of a sum."""
    shape = shape_of(rng, ranks=(1, 2), longest=200) + [rng.randint(2, 300)]
    each, rows = shape[-1:], shape[:-1] + [1]
    x, weight, bias = drawn(*shape), drawn(*each), drawn(*each)
    if not name.startswith("Add"):
        wide = x.double()
        if name == "RmsNorm":
            rstd = rms(wide, eps)
            out = Result(wide * rstd * weight.double(), dtype, scale_of(weight))
            return [x, weight, eps, out, Result(rstd, torch.float32)]
        peer = None if dtype == torch.float16 else functional.layer_norm(x, each, weight, bias, eps)
        out = Result(functional.layer_norm(wide, each, weight.double(), bias.double(), eps), dtype,
                     scale_of(weight, bias), theirs=peer)
        mode = [ctypes.c_int32(rng.randrange(3))] if name.endswith("Mode") else []
        return [x, each, weight, bias, eps, out, *statistics(x, moments(wide, [-1], eps), rows, dtype), *mode]
    other = drawn(*shape)
    added = drawn(*rng.choice([each, shape])) if name == "AddLayerNorm" and rng.random() < 0.5 else None
    total = x.double() + other.double() + (0 if added is None else added.double())
    terms = x.double().abs() + other.double().abs() + (0 if added is None else added.double().abs())
    kept = Result(total, dtype, terms * 256)
    if name == "AddRmsNorm":
        out = Result(total * rms(total, eps) * weight.double(), dtype, scale_of(weight) * 4)
        return [x, other, weight, eps, out, Result(rms(total, eps), torch.float32), kept]
    out = Result(functional.layer_norm(total, each, weight.double(), bias.double(), eps), dtype,
                 scale_of(weight, bias) * 4)
    wanted = rng.random() < 0.5
    return [x, other, weight, bias, added, eps, wanted, out,
            *statistics(total, moments(total, [-1], eps), rows, torch.float32), kept if wanted else None]


def of_channels(rng, name, dtype, drawn, eps):
    """The arguments of GroupNorm and of BatchNorm, with the statistics of this batch or with running ones."""
    group = rng.randint(1, 4)
    shape = [rng.randint(2, 5), group * rng.randint(1, 6), rng.randint(2, 30)]
    x, weight, bias = drawn(*shape), drawn(shape[1]), drawn(shape[1])
    wide = [of.double() for of in (x, weight, bias)]
    if name == "GroupNorm":
        out = functional.group_norm(wide[0], group, wide[1], wide[2], eps)
        pair = moments(wide[0].view(shape[0], group, -1), [-1], eps)
        return [x, weight, bias, *shape, group, eps, Result(out, dtype, scale_of(weight, bias)),
                *statistics(x, pair, [shape[0], group], dtype)]
    training, share = rng.random() < 0.6, rng.choice([0.1, 0.75])
    running = [torch.randn(shape[1]), torch.rand(shape[1]) + 0.5] if not training or rng.random() < 0.5 else None
    moved = [None, None] if running is None else [of.double() for of in running]
    out = functional.batch_norm(wide[0], *moved, wide[1], wide[2], training, share, eps)
    kept = [None, None] if running is None else [
        Result(after, torch.float32, before.double().abs() * 256 + 1024, before=before)
        for after, before in zip(moved, running)]
    saved = statistics(x, moments(wide[0], [0, 2], eps), shape[1:2], torch.float32) if training else [None, None]
    sizes = scale_of(weight, bias) * (1 if training else 4)
    return [x, weight.float(), bias.float(), *kept, training, share, eps, Result(out, dtype, sizes), *saved]


def gradients(g, x, mean, rstd, weight, dims, centred=True, running=False):
    """Gradients of x, of each weight and of each bias before their sums, by the forward statistics, each with the sizes
    of its terms.
    """
    factor, unit, size = g * weight, (x - mean) * rstd, (x.abs() + mean.abs()) * rstd
    if running:
        return [(factor * rstd, factor.abs() * rstd), (g * unit, g.abs() * size), (g, g.abs())]
    of_mean = lambda of: of.mean(dims, keepdim=True)  # noqa: E731
    shift, sizes = (of_mean(factor), of_mean(factor.abs())) if centred else (0, 0)
    of_x = rstd * (factor - shift - unit * of_mean(factor * unit))
    terms = rstd * (factor.abs() + sizes + size * of_mean(factor.abs() * size))
    return [(of_x, terms), (g * unit, g.abs() * size), (g, g.abs())]


def results(pairs, shape, dims, parameter, kinds):
    """The three gradients, those of the parameters summed over some dimensions."""
    for at, (pair, kind) in enumerate(zip(pairs, kinds)):
        value, terms = (of.sum(dims).reshape(parameter) if at else of.reshape(shape) for of in pair)
        yield Result(value, kind, terms * 256)


def backward(client, rng, name, dtype, drawn, eps):
    """The arguments of a gradient, with statistics as a forward call returns them."""
    rows, of_groups = name.startswith(("Layer", "Rms")), name.startswith("Group")
    group = rng.randint(1, 4)
    shape = [rng.randint(1, 40), rng.randint(2, 300)] if rows else [rng.randint(2, 5), group * rng.randint(1, 6),
                                                                   rng.randint(2, 30)]
    g, x, weight = drawn(*shape), drawn(*shape), drawn(shape[1])
    # The dimensions of statistics, and those over which the parameters' gradients are summed.
    cut = [shape[0], group, shape[1] // group, shape[2]] if of_groups else shape
    dims, summed = ([1], [0]) if rows else ([2, 3], [0, 3]) if of_groups else ([0, 2], [0, 2])
    wide = [of.double().view(cut) for of in (g, x)]
    factor = weight.double().view([1, *cut[1:3], 1] if of_groups else [1, -1] if rows else [1, -1, 1])
    mean, rstd = moments(wide[1], dims, eps)
    if name == "RmsNormGrad":
        mean, rstd = torch.zeros(()).double(), rms(wide[1], eps)
    mean, rstd = (of.float() for of in (mean, rstd))
    running = name == "BatchNormBackward" and rng.random() < 0.4
    variance = torch.rand(shape[1]) + 0.5
    if running:
        mean, rstd = torch.randn(1, shape[1], 1), torch.rsqrt(variance.double() + eps).view(1, -1, 1)
    pairs = gradients(*wide, mean.double(), rstd.double(), factor, dims, name != "RmsNormGrad", running)
    kind = rng.choice([dtype, torch.float32]) if name.startswith(("Layer", "Batch")) else dtype
    kinds = [dtype, torch.float32, None] if name == "RmsNormGrad" else [dtype, kind, kind]
    found = list(results(pairs, shape, summed, shape[1:2], kinds))
    mask = lambda: client.bools([True] * 3)  # noqa: E731
    if name == "RmsNormGrad":
        return [g, x, rstd, weight, *found[:2]]
    if rows:
        return [g, x, shape[1:], mean, rstd, weight, None, mask, *found]
    if of_groups:
        return [g, x, mean.view(shape[0], group), rstd.view(shape[0], group), weight, *shape, group, mask, *found]
    flat = [mean.reshape(-1), rstd.reshape(-1)]
    passed = [flat[0], variance, None, None] if running else [None, None, *flat]
    return [g, x, weight.float(), *passed, not running, eps, mask, *found]


def check(client, rng, worst, name):
    dtype, eps = rng.choice(FLOATS), rng.choice([1e-5, 1e-3, 0.1])
    drawn = lambda *shape: (torch.randn(shape) * 2 + 0.5).to(dtype)  # noqa: E731
    if name in ROWS:
        arguments = of_rows(rng, name, dtype, drawn, eps)
    elif name in ("GroupNorm", "BatchNorm"):
        arguments = of_channels(rng, name, dtype, drawn, eps)
    else:
        arguments = backward(client, rng, name, dtype, drawn, eps)
    call(client, rng, worst, name, *arguments, about=str(eps))

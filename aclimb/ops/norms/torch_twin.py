"""Norms and their gradients in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import NoPeer, filled

GROUPS = 32
EPS = 1e-5
# Elements that stay in the caches between the functions.
BLOCK = 1 << 16


def variants(case):
    of_rows = case.function.startswith(("layer", "rms"))
    n, c, s = case.outer, case.middle, case.inner
    shape = (n, c) if of_rows else (n, c, s)
    few = (n, 1) if of_rows else (n, GROUPS) if case.function.startswith("group") else (c,)
    aten = torch.ops.aten
    x = filled(shape, case.type)
    if case.layout == "transposed":
        x = filled((c, n), case.type).t()
    grad = filled(shape, case.type)
    # PyTorch's kernels want the weights of half types in either dtype.
    weight, bias, running_mean, running_var = (filled((c,), torch.float32, torch.rand) + 0.5
                                               for _ in range(4))
    mean, rstd = (filled(few, torch.float32, torch.rand) + 0.5 for _ in range(2))
    mask = [True, True, True]
    if case.function == "layer_norm":
        return {"plain": lambda: aten.native_layer_norm(x, [c], weight, bias, EPS)}
    if case.function == "layer_norm_backward":
        return {"plain": lambda: aten.native_layer_norm_backward(grad, x, [c], mean, rstd, weight,
                                                                 bias, mask)}
    if case.function == "rms_norm":
        own, functional = weight.to(case.type), torch.nn.functional
        ways = {"blocks": rms_norm_by_blocks(x, own)}
        if hasattr(functional, "rms_norm"):
            ways["plain"] = lambda: functional.rms_norm(x, (c,), own, EPS)
        return ways
    if case.function == "group_norm":
        return {"plain": lambda: aten.native_group_norm(x, weight, bias, n, c, s, GROUPS, EPS)}
    if case.function == "group_norm_backward":
        return {"plain": lambda: aten.native_group_norm_backward(grad, x, mean, rstd, weight, n, c,
                                                                 s, GROUPS, mask)}
    if case.function == "batch_norm_backward":
        return {"plain": lambda: aten.native_batch_norm_backward(
            grad, x, weight, running_mean, running_var, mean, rstd, True, EPS, mask)}
    if case.function in ("batch_norm", "batch_norm_eval"):
        training = case.function == "batch_norm"
        ways = {"plain": lambda: aten.native_batch_norm(x, weight, bias, running_mean, running_var,
                                                        training, 0.1, EPS)}
        if training and s >= 1024:
            ways["channel by channel"] = batch_norm_by_channels(x, weight, bias, running_mean, running_var)
        return ways
    raise NoPeer(f"{case.function} is no function of PyTorch's")


def rms_norm_by_blocks(x, weight):
    """Rows that stay in the caches between the functions, in float32."""
    rows, columns = x.shape
    count = max(1, min(rows, BLOCK // columns))
    out, rstd, buffer = torch.empty_like(x), torch.empty((rows, 1)), torch.empty((count, columns))
    blocks = list(zip(*(t.split(count) for t in (x, out, rstd))))
    single, half = weight.float(), x.dtype != torch.float32

    def run():
        for block, result, factor in blocks:
            some = buffer[:len(block)]
            source = some.copy_(block) if half else block
            norm = torch.linalg.vector_norm(source, 2, 1, keepdim=True)
            torch.rsqrt(norm.square_().div_(columns).add_(EPS), out=factor)
            torch.mul(source, factor, out=some if half else result).mul_(single)
            if half:
                result.copy_(some)
        return out, rstd
    return run


def batch_norm_by_channels(x, weight, bias, running_mean, running_var):
    """The elements of a channel stay in the caches between the functions."""
    out, channels, count = torch.empty_like(x), x.shape[1], x.numel() // x.shape[1]
    means, norms, buffer = torch.empty(channels), torch.empty(channels), torch.empty(x[:, 0].shape)
    planes = list(zip(x.unbind(1), out.unbind(1), means.unbind(), norms.unbind(), weight.unbind(), bias.unbind()))

    def run():
        for plane, result, mean, norm, factor, term in planes:
            torch.sub(plane, torch.mean(plane, (0, 1), out=mean), out=buffer)
            torch.linalg.vector_norm(buffer, out=norm)
            rstd = torch.rsqrt(norm.square() / count + EPS)
            torch.add(term, buffer.mul_(rstd * factor), out=result)
        var = norms.square().div_(count)
        running_mean.lerp_(means, 0.1)
        running_var.lerp_(var * (count / (count - 1)), 0.1)
        return out, means.clone(), torch.rsqrt(var + EPS)
    return run

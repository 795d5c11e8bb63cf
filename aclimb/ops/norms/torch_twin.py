"""Norms and their gradients in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import NoPeer, filled

GROUPS = 32
EPS = 1e-5


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
        own = weight.to(case.type)
        return {"plain": lambda: torch.nn.functional.rms_norm(x, (c,), own, EPS)}
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
        return {"plain": lambda: aten.native_batch_norm(x, weight, bias, running_mean, running_var,
                                                        training, 0.1, EPS)}
    raise NoPeer(f"{case.function} is no function of PyTorch's")

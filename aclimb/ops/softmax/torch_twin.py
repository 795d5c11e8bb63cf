"""Softmax, its logarithm and their gradients in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    # PyTorch's kernel of rows, eight times as fast, serves the last dimension alone.
    shape = (case.outer, case.length, case.inner) if case.inner > 1 else (case.outer, case.length)
    logarithm = case.function.startswith("log_")
    x = filled(shape, case.type)
    if case.layout == "transposed":
        x = filled((case.length, case.outer, *shape[2:]), case.type).transpose(0, 1)
    out = filled(shape, case.type, torch.zeros)
    if case.function.endswith("_backward"):
        y = filled(shape, case.type, lambda n: -8 * torch.rand(n) if logarithm
                   else 2 * torch.rand(n) / case.length)
        gradient = (torch.ops.aten._log_softmax_backward_data if logarithm
                    else torch.ops.aten._softmax_backward_data)
        key = "out" if logarithm else "grad_input"
        return {"out=": lambda: gradient.__getattr__("out")(x, y, 1, case.type, **{key: out})}
    forward = torch.ops.aten._log_softmax if logarithm else torch.ops.aten._softmax
    return {"out=": lambda: forward.out(x, 1, False, out=out)}

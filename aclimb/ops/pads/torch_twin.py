"""Padding of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    def image(extent, layout="dense"):
        if layout == "permuted":
            return filled((1, extent, extent, case.channels), case.type).permute(0, 3, 1, 2)
        return filled((1, case.channels, extent, extent), case.type)

    padded, pads, aten = case.size + 2 * case.padding, [case.padding] * 4, torch.ops.aten
    if case.function == "constant":
        x, out = image(case.size, case.layout), image(padded)
        inner = out[:, :, case.padding : -case.padding, case.padding : -case.padding]
        into = {"fill, copy": lambda: (out.zero_(), inner.copy_(x))}
        # Of a permuted image PyTorch makes one that lies as it does, which is another problem.
        if case.layout == "permuted":
            return into
        return into | {"pad": lambda: torch.nn.functional.pad(x, pads)}
    kind = case.function.split("_")[0] + "_pad2d"
    if case.function.endswith("backward"):
        gradient, x, out = image(padded, case.layout), image(case.size), image(case.size)
        into = getattr(aten, kind + "_backward").grad_input
        return {"backward, out=": lambda: into(gradient, x, pads, grad_input=out)}
    x, out = image(case.size, case.layout), image(padded)
    forward = getattr(aten, kind)
    if case.layout == "permuted":
        # Newer ones change the strides of out= to those of the input, which is another problem as well.
        dense = image(case.size)
        return {"pad, copy": lambda: out.copy_(forward(x, pads)),
                "copy, forward": lambda: forward.out(dense.copy_(x), pads, out=out)}
    return {"forward, out=": lambda: forward.out(x, pads, out=out)}

"""Padding of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    def image(extent, layout="dense"):
        if layout == "permuted":
            return filled((1, extent, extent, case.channels), case.type).permute(0, 3, 1, 2)
        return filled((1, case.channels, extent, extent), case.type)

    def dense(x):
        """An image as a matrix, whose copy from a transposed one PyTorch makes by blocks."""
        if case.layout != "permuted":
            return x
        out = torch.empty(x.shape, dtype=x.dtype)
        out.view(case.channels, -1).copy_(x.permute(0, 2, 3, 1).reshape(-1, case.channels).t())
        return out

    def outside(result, kind, inner):
        """Rows and columns beyond the image, each copied from one inside or, backwards, added to it."""
        width = case.padding
        last = result.shape[inner] - 1
        for i in range(width):
            step = width - i if kind == "reflection_pad2d" else 0
            yield i, width + step
            yield last - i, last - width - step

    padded, pads, aten = case.size + 2 * case.padding, [case.padding] * 4, torch.ops.aten
    if case.function == "constant":
        x, out = image(case.size, case.layout), image(padded)
        inner = out[:, :, case.padding : -case.padding, case.padding : -case.padding]
        into = {"fill, copy": lambda: (out.zero_(), inner.copy_(x))}
        # Of a permuted image PyTorch makes one that lies as it does, which is another problem.
        if case.layout == "permuted":
            return into | {"copy transposed, pad": lambda: torch.nn.functional.pad(dense(x), pads)}
        return into | {"pad": lambda: torch.nn.functional.pad(x, pads)}
    kind = case.function.split("_")[0] + "_pad2d"
    if case.function.endswith("backward"):
        gradient, x, out = image(padded, case.layout), image(case.size), image(case.size)
        into = getattr(aten, kind + "_backward").grad_input

        def sums():
            whole, width = dense(gradient).clone() if case.layout == "dense" else dense(gradient), case.padding
            for dim in (2, 3):
                lines = whole.unbind(dim)
                for edge, inside in outside(whole, kind, dim):
                    lines[inside].add_(lines[edge])
            return out.copy_(whole[:, :, width:-width, width:-width])
        ways = {"backward, out=": lambda: into(gradient, x, pads, grad_input=out), "sums": sums}
        if case.layout == "permuted":
            ways["copy transposed, backward"] = lambda: into(dense(gradient), x, pads, grad_input=out)
        return ways
    x, out = image(case.size, case.layout), image(padded)
    forward = getattr(aten, kind)

    def copies():
        width = case.padding
        out[:, :, width:-width, width:-width].copy_(dense(x))
        for dim in (3, 2):
            lines = out.unbind(dim)
            for edge, inside in outside(out, kind, dim):
                lines[edge].copy_(lines[inside])
        return out
    if case.layout == "permuted":
        # Newer ones change the strides of out= to those of the input, which is another problem as well.
        return {"pad, copy": lambda: out.copy_(forward(x, pads)), "copies": copies,
                "copy, forward": lambda: forward.out(dense(x), pads, out=out)}
    return {"forward, out=": lambda: forward.out(x, pads, out=out), "copies": copies}

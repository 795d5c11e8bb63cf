"""ELU's gradient in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import elementwise, filled

# Elements that stay in the caches between the steps of a block.
BLOCK = 1 << 17


def variants(case):
    transposed = {"contiguous": (0, 0, 0), "transposed": (0, 1, 0), "transposed_out": (1, 1, 0),
                  "permuted": (1, 1, 1)}[case.layout]
    result = bool(case.is_result)

    def tensor(flip, make):
        shape = (case.columns, case.rows) if flip else (case.rows, case.columns)
        value = filled(shape, case.type, make)
        return value.t() if flip else value

    def values(count):
        value = torch.randn(count)
        return torch.where(value > 0, value, torch.expm1(value)) if result else value

    grad = tensor(transposed[0], torch.randn)
    value = tensor(transposed[1], values)
    out = tensor(transposed[2], torch.zeros)
    gradient = torch.ops.aten.elu_backward.grad_input

    ways = elementwise(lambda g, v, into: gradient(g, 1.0, 1.0, 1.0, result, v, grad_input=into), (grad, value), out)
    if case.layout in ("transposed", "transposed_out"):
        copies = [torch.empty_like(out), torch.empty_like(out)]

        def contiguous_first():
            copies[1].copy_(value)
            g = grad if not transposed[0] else copies[0].copy_(grad)
            gradient(g, 1.0, 1.0, 1.0, result, copies[1], grad_input=out)

        ways["contiguous first"] = contiguous_first
    if case.type == torch.float16:
        ways.update(through_float32(gradient, grad, value, out, result))
    return ways


def through_float32(gradient, grad, value, out, result):
    """What float16 needs where torch has no kernel for it: whole tensors, or blocks of rows."""
    def blocks(rows):
        shape = (rows, out.shape[1])
        g, v, o = (torch.empty(shape) for _ in range(3))

        def run():
            for begin in range(0, out.shape[0], rows):
                end = min(begin + rows, out.shape[0])
                n = end - begin
                g[:n].copy_(grad[begin:end])
                v[:n].copy_(value[begin:end])
                gradient(g[:n], 1.0, 1.0, 1.0, result, v[:n], grad_input=o[:n])
                out[begin:end].copy_(o[:n])
        return run

    ways = {"float32": blocks(out.shape[0])}
    rows = max(1, BLOCK // out.shape[1])
    if rows < out.shape[0]:
        ways["float32, blocks"] = blocks(rows)
    return ways

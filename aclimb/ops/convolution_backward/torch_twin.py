"""A convolution and its gradients in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import NoPeer, filled


def variants(case):
    def dims(value):
        return [int(part) for part in str(value).split("x")]

    if case.type == torch.float16 and not supports_half():
        raise NoPeer("torch has no float16 convolution on a CPU")
    transposed = bool(case.transposed)
    kernel = dims(case.kernel)
    shape = ((case.cin, case.cout // case.groups) if transposed
             else (case.cout, case.cin // case.groups))
    value = filled((case.n, case.cin, *dims(case.input)), case.type)
    weight = filled((*shape, *kernel), case.type) * 0.05
    numbers = [dims(case.stride), dims(case.padding), dims(case.dilation), transposed,
               dims(case.output_padding), case.groups]
    if case.operator == "convolution":
        bias = filled((case.cout,), case.type)
        images, others = (value, weight), (bias,)

        def plain(v=value, w=weight, b=bias):
            return [torch.ops.aten.convolution(v, w, b, *numbers)]
    else:
        mask = [flag == "1" for flag in f"{case.mask:03d}"]
        grad = filled((case.n, case.cout, *dims(case.output)), case.type)
        images, others = (grad, value, weight), ()

        def plain(g=grad, v=value, w=weight):
            return torch.ops.aten.convolution_backward(g, v, w, [case.cout], *numbers, mask)

    ways = {case.operator: plain}
    if len(kernel) == 2:
        last = torch.channels_last

        def channels_last():
            results = plain(*(t.contiguous(memory_format=last) for t in images))
            return [None if r is None else r.contiguous() for r in results]
        ways["through channels_last"] = channels_last
    # Torch 1.13 has no transposed convolution of bfloat16 itself.
    if case.type == torch.float16 or (case.type == torch.bfloat16 and case.operator == "convolution"):
        def in_float32():
            results = plain(*(t.float() for t in (*images, *others)))
            return [None if r is None else r.to(case.type) for r in results]
        ways["in float32"] = in_float32
    threads = torch.get_num_threads()
    if transposed and threads > 1:
        # OpenBLAS has a team of its own; with torch's beside it there are twice as many threads.
        def one_torch_thread():
            torch.set_num_threads(1)
            try:
                return plain()
            finally:
                torch.set_num_threads(threads)
        ways["OpenBLAS's threads alone"] = one_torch_thread
    return ways


def supports_half():
    try:
        one = torch.ones((1, 1, 3, 3), dtype=torch.float16)
        torch.conv2d(one, one)
        return True
    except RuntimeError:
        return False

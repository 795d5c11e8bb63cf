"""Pooling of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    aten = torch.ops.aten

    def planes(extent, tensor=lambda shape: filled(shape, case.type)):
        if case.layout == "permuted":
            return tensor((case.images, extent, extent, case.channels)).permute(0, 3, 1, 2)
        return tensor((case.images, case.channels, extent, extent))

    def number(value):
        return [value, value]
    x = planes(case.size)
    if case.function == "adaptive_avg_pool":
        return {"adaptive_avg_pool2d": lambda: torch.nn.functional.adaptive_avg_pool2d(x, case.kernel)}
    windows = (case.size + 2 * case.padding - case.kernel) // case.stride + 1
    window = [number(case.kernel), number(case.stride), number(case.padding)]
    if case.function == "avg_pool":
        return {"avg_pool2d": lambda: torch.nn.functional.avg_pool2d(x, *window)} | averages(case, x)
    if case.function == "max_pool":
        def through_channels_last():
            results = aten.max_pool2d_with_indices(x.contiguous(memory_format=torch.channels_last), *window)
            return [result.contiguous() for result in results]
        return {"max_pool2d_with_indices": lambda: torch.nn.functional.max_pool2d_with_indices(x, *window),
                "through channels_last": through_channels_last}
    gradient, out = planes(windows), planes(case.size)
    if case.function == "avg_pool_backward":
        into = aten.avg_pool2d_backward.grad_input
        ways = {"backward, out=": lambda: into(gradient, x, *window, False, True, None, grad_input=out)}
        if case.layout == "dense" and case.kernel == case.stride and not case.padding:
            spread = out.view(*gradient.shape[:3], case.kernel, windows, case.kernel).permute(3, 5, 0, 1, 2, 4)

            def copies():
                each = gradient / case.kernel**2
                for row in spread.unbind():
                    for column in row.unbind():
                        column.copy_(each)
                return out
            ways["div, copies"] = copies
            ways["div, upsample_nearest2d"] = lambda: aten.upsample_nearest2d.out(
                gradient / case.kernel**2, [case.size, case.size], None, None, out=out)
        if case.stride == 1 and case.kernel == 2 * case.padding + 1:
            # A window around each element, as forward.
            ways |= averages(case, gradient)
        return ways
    indices = planes(windows, lambda shape: torch.randint(0, case.size**2, shape))
    into = aten.max_pool2d_with_indices_backward.grad_input
    return {"backward, out=": lambda: into(gradient, x, *window, number(1), False, indices, grad_input=out)}


def averages(case, x):
    """As a convolution of each channel, and as sums of rows and then of columns, in float32."""
    if case.layout != "dense":
        return {}
    kernel, stride, padding, extent = case.kernel, case.stride, case.padding, case.size + 2 * case.padding
    weight = torch.full((case.channels, 1, kernel, kernel), 1 / kernel**2)
    windows = (extent - kernel) // stride + 1
    last = (windows - 1) * stride + 1
    single = torch.zeros((case.images, case.channels, extent, extent))
    inner = single[:, :, padding:extent - padding, padding:extent - padding]

    def sums():
        source = x
        if padding or case.type != torch.float32:
            inner.copy_(x)
            source = single
        for dim in (2, 3):
            every = (slice(None),) * dim + (slice(None, None, stride),)
            parts = [source.narrow(dim, i, last)[every] for i in range(kernel)]
            source = parts[0] + parts[1]
            for part in parts[2:]:
                source += part
        return source.mul_(1 / kernel**2).to(case.type)
    return {"conv2d": lambda: torch.conv2d(x.float(), weight, None, stride, padding, 1, case.channels).to(case.type),
            "sums": sums}

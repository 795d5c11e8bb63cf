"""Images in another size, of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled

aten = torch.ops.aten
FUNCTIONS = {"nearest": aten.upsample_nearest2d, "nearest_backward": aten.upsample_nearest2d_backward,
             "bilinear": aten.upsample_bilinear2d, "bilinear_backward": aten.upsample_bilinear2d_backward,
             "bicubic": aten.upsample_bicubic2d, "bicubic_backward": aten.upsample_bicubic2d_backward}


def image(case, size, make=torch.randn):
    if case.layout == "permuted":
        return filled((case.images, size, size, case.channels), case.type, make).permute(0, 3, 1, 2)
    return filled((case.images, case.channels, size, size), case.type, make)


def variants(case):
    of, corners = FUNCTIONS[case.function], [] if "nearest" in case.function else [False]
    plane = [case.result, case.result]
    if case.function.endswith("_backward"):
        x, result = image(case, case.result), image(case, case.size, torch.zeros)
        shape = [case.images, case.channels, case.size, case.size]
        return {"grad_input=": lambda: of.grad_input(x, plane, shape, *corners, None, None, grad_input=result),
                "upsample_backward": lambda: of.default(x, plane, shape, *corners, None, None)}
    x, result = image(case, case.size), image(case, case.result, torch.zeros)
    return {"out=": lambda: of.out(x, plane, *corners, None, None, out=result),
            "upsample": lambda: of.default(x, plane, *corners, None, None)}

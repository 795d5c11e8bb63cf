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
                "upsample_backward": lambda: of.default(x, plane, shape, *corners, None, None)} | more(case, x, result)
    x, result = image(case, case.size), image(case, case.result, torch.zeros)
    return {"out=": lambda: of.out(x, plane, *corners, None, None, out=result),
            "upsample": lambda: of.default(x, plane, *corners, None, None)} | more(case, x, result)


def more(case, x, result):
    """As products with the weights of rows and of columns; the gradient of nearest as sums."""
    if case.layout != "dense":
        return {}
    kind = case.function.split("_")[0]
    backward, planes = case.function.endswith("_backward"), case.images * case.channels
    x, out, count = x.view(planes, *x.shape[2:]), result.view(planes, *result.shape[2:]), case.result // case.size

    def sums():
        rows = x.view(planes, case.size, count, case.result).unbind(2)
        total = rows[0] + rows[1]
        for row in rows[2:]:
            total += row
        columns = total.view(planes, case.size, case.size, count).unbind(3)
        torch.add(columns[0], columns[1], out=out)
        for column in columns[2:]:
            out.add_(column)
        return result
    if kind == "nearest":
        return {"sums": sums} if backward and count > 1 and case.result % case.size == 0 else {}
    # Column by column, what an element adds to the results.
    one = torch.eye(case.size).view(1, case.size, case.size, 1)
    weights = FUNCTIONS[kind].default(one, [case.result, 1], False, None, None).view(case.size, case.result)
    first = weights if backward else weights.t().contiguous()

    def products():
        of_rows = torch.mm(x.view(-1, x.shape[2]), first.t()).view(planes, x.shape[1], -1)
        torch.bmm(first.expand(planes, *first.shape), of_rows, out=out)
        return result
    return {"products": products}

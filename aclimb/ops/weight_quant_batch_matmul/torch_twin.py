"""Products with quantised weights of the benchmark in PyTorch, for bench/torch_twin.py.

PyTorch 1.13 has no such function: a model converts the weight and scales the columns of the product.
"""

import torch
from bench_torch_twin import filled


def variants(case):
    x, scale = filled((case.rows, case.inner), case.type), filled((case.columns,), case.type)
    weight = torch.randint(0, 128, (case.inner, case.columns), dtype=torch.int8)
    if case.layout == "transposed":
        weight = weight.t().contiguous().t()
    single = scale.float()
    ways = {"in float32": lambda: torch.mm(x.float(), weight.float()).mul_(single).to(case.type),
            "as it is": lambda: torch.mm(x, weight.to(case.type)).mul_(scale)}
    # Columns, or rows, of the weight that stay in the caches.
    transposed, out = case.layout == "transposed", torch.empty((case.rows, case.columns))
    lines = weight.t() if transposed else weight
    count = max(1, min(len(lines), (1 << 18) // lines.shape[1]))
    buffer = torch.empty((count, lines.shape[1]))

    def blocks():
        factor = x.float()
        if not transposed:
            out.zero_()
        for begin in range(0, len(lines), count):
            some = lines[begin:begin + count]
            part = buffer[:len(some)].copy_(some)
            if transposed:
                out[:, begin:begin + count] = torch.mm(factor, part.t())
            else:
                out.addmm_(factor[:, begin:begin + count], part)
        return (out * single).to(case.type)
    ways["in float32, blocks"] = blocks
    if hasattr(torch, "_weight_int8pack_mm"):
        ways["_weight_int8pack_mm"] = lambda: torch._weight_int8pack_mm(x, weight.t().contiguous(), scale)
    return ways

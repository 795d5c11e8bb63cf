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
    return {"in float32": lambda: torch.mm(x.float(), weight.float()).mul_(single).to(case.type),
            "as it is": lambda: torch.mm(x, weight.to(case.type)).mul_(scale)}

"""Vector products of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    dim = 1 if case.layout == "rows" else 0
    shape = (case.vectors, 3) if dim == 1 else (3, case.vectors)
    a, b, out = (filled(shape, case.type) for _ in range(3))
    x, y, z = (each.unbind(dim) for each in (a, b, out))

    def by_hand():
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            torch.mul(x[j], y[k], out=z[i]).addcmul_(x[k], y[j], value=-1)
        return out
    return {"out=": lambda: torch.linalg.cross(a, b, dim=dim, out=out), "mul, addcmul": by_hand}

"""max_unpool of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    windows, planes = case.size // 2, (case.images, case.channels)
    large = filled((*planes, case.size, case.size), case.type)
    _, places = torch.nn.functional.max_pool2d(large, 2, return_indices=True)
    if case.function == "max_unpool2d":
        small, out = filled((*planes, windows, windows), case.type), torch.zeros_like(large)
        size = [case.size, case.size]
        flat, values, of = out.view(-1, case.size**2), small.view(-1, windows**2), places.view(-1, windows**2)

        def scattered():
            flat.zero_().scatter_(1, of, values)
            return out
        return {"out=": lambda: torch.ops.aten.max_unpool2d.out(small, places, size, out=out),
                "zero_, scatter_": scattered}
    # Autograd's formula.
    flat, out = large.flatten(2), torch.zeros((*planes, windows * windows), dtype=case.type)
    return {"gather, out=": lambda: torch.gather(flat, 2, places.flatten(2), out=out)}

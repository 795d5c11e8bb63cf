"""Sequences of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    out = filled((case.elements,), case.type, torch.zeros)
    first = min(case.elements, 1024)

    def doubled():
        count = first
        torch.arange(0, count, out=out[:count])
        while count < case.elements:
            more = min(count, case.elements - count)
            torch.add(out[:more], count, out=out[count:count + more])
            count *= 2
        return out
    return {"out=": lambda: torch.arange(0, case.elements, out=out), "doubled": doubled}

"""Reads, sums and counts by indices in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    dim, extent, shape = case.dim, case.extent, [case.rows, case.columns]
    number = torch.randint(0, extent, (case.rows,))
    if case.function == "bincount":
        return {"bincount": lambda: torch.bincount(number, minlength=extent)}
    source, other = filled(shape, case.type), filled([*shape[:dim], extent, *shape[dim + 1:]], case.type)
    out, place = torch.zeros_like(other), torch.randint(0, extent, shape)
    return {"gather": {"out=": lambda: torch.gather(other, dim, place, out=source)},
            "index": {"[]": lambda: other[number],
                      "index_select, out=": lambda: torch.index_select(other, 0, number, out=source)},
            "scatter_add": {"out=": lambda: torch.scatter_add(other, dim, place, source, out=out),
                            "copy_, scatter_add_": lambda: out.copy_(other).scatter_add_(dim, place, source)},
            "index_add": {"out=": lambda: torch.index_add(other, 0, number, source, out=out),
                          "copy_, index_add_": lambda: out.copy_(other).index_add_(0, number, source)},
            "index_put": {"index_put_": lambda: other.index_put_((number,), source, accumulate=True),
                          "index_add_": lambda: other.index_add_(0, number, source)},
            "index_put_replace": {"index_put_": lambda: other.index_put_((number,), source),
                                  "index_copy_": lambda: other.index_copy_(0, number, source)}}[case.function]

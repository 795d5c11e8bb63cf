"""Copies and casts of the benchmark in PyTorch, for bench/torch_twin.py."""

from bench_torch_twin import matrices


def variants(case):
    a, _, _, out = matrices(case)
    return {"copy_": lambda: out.copy_(a)}

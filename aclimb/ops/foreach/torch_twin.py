"""Functions of lists of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled

# Of lists, and of one tensor of each, the last one being the output.
FUNCTIONS = {
    "add_list": (lambda x: torch._foreach_add(x[0], x[1], alpha=2), lambda a, b, y: torch.add(a, b, alpha=2, out=y)),
    "mul_scalar": (lambda x: torch._foreach_mul(x[0], 2.0), lambda a, y: torch.mul(a, 2.0, out=y)),
    "addcdiv": (lambda x: torch._foreach_addcdiv(x[0], x[1], x[2], 2.0),
                lambda a, b, c, y: torch.addcdiv(a, b, c, value=2.0, out=y)),
    "norm": (lambda x: torch._foreach_norm(x[0], 2), lambda a, y: torch.norm(a, 2, out=y)),
    "sqrt": (lambda x: torch._foreach_sqrt(x[0]), lambda a, y: torch.sqrt(a, out=y)),
}


def variants(case):
    of_lists, of_each = FUNCTIONS[case.function]
    count = {"addcdiv": 3, "add_list": 2}.get(case.function, 1)
    x = [[filled((case.elements,), case.type, torch.rand) for _ in range(case.tensors)] for _ in range(count)]
    y = [torch.empty([] if case.function == "norm" else [case.elements], dtype=case.type) for _ in range(case.tensors)]

    def each():
        for of in zip(*x, y):
            of_each(*of)
    return {"_foreach": lambda: of_lists(x), "each, out=": each}

"""embedding_bag of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    table = filled((case.num_weights, case.columns), case.type)
    indices = torch.randint(0, case.num_weights, (case.bags * case.length,))
    offsets = torch.arange(0, case.bags * case.length, case.length)
    bags = indices.view(case.bags, case.length)
    of_bags = torch.nn.functional.embedding_bag
    return {"offsets": lambda: of_bags(indices, table, offsets, mode=case.mode),
            "matrix": lambda: of_bags(bags, table, mode=case.mode)}

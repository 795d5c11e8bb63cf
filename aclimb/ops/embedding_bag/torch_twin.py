"""embedding_bag of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    table = filled((case.num_weights, case.columns), case.type)
    indices = torch.randint(0, case.num_weights, (case.bags * case.length,))
    offsets = torch.arange(0, case.bags * case.length, case.length)
    bags = indices.view(case.bags, case.length)
    of_bags = torch.nn.functional.embedding_bag
    ways = {"offsets": lambda: of_bags(indices, table, offsets, mode=case.mode),
            "matrix": lambda: of_bags(bags, table, mode=case.mode)}
    if case.mode == "max":
        ways["index_select, amax, eq, amax"] = lambda: largest(table, indices, bags)
    return ways


def largest(table, indices, bags):
    """The largest elements, and the rows of the table that have them."""
    rows = table.index_select(0, indices).view(*bags.shape, -1)
    single = rows.float()
    result = single.amax(1)
    # Where an element is the largest, how far its row is from the end of the bag: the first row is the farthest.
    equal = torch.eq(single, result[:, None], out=torch.empty_like(single))
    last = bags.shape[1] - equal.mul_(torch.arange(bags.shape[1], 0, -1, dtype=torch.float32)[:, None]).amax(1)
    return result.to(table.dtype), bags.gather(1, last.long())

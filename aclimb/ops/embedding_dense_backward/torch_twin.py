"""The gradient of an embedding table in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    rows, count = case.num_weights, case.indices
    grad = filled((count, case.columns), case.type)
    indices = make_indices(case)
    padding, scaled = case.padding_idx, bool(case.scale_by_freq)

    def own():
        return torch.ops.aten.embedding_dense_backward(grad, indices, rows, padding, scaled)

    ways = {"embedding_dense_backward": own}
    if case.type == torch.float16:
        def single():
            g = grad.float()
            return torch.ops.aten.embedding_dense_backward(g, indices, rows, padding, scaled).half()
        ways["embedding_dense_backward in float32"] = single
    if not scaled:
        out = torch.empty((rows, case.columns), dtype=case.type)

        def by_hand():
            out.zero_().index_add_(0, indices, grad)
            if padding >= 0:
                out[padding].zero_()
        ways["zero_, index_add_"] = by_hand
        if case.type != torch.float32:
            sums = torch.empty((rows, case.columns))

            def by_hand_single():
                sums.zero_().index_add_(0, indices, grad.float())
                if padding >= 0:
                    sums[padding].zero_()
                out.copy_(sums)
            ways["zero_, index_add_ in float32"] = by_hand_single
    return ways


def make_indices(case):
    rows, count = case.num_weights, case.indices
    if case.distribution == "same":
        return torch.full((count,), rows // 3)
    if case.distribution == "uniform":
        return torch.randint(0, rows, (count,))
    # Frequency ~ 1 / rank, the ranks shuffled over the rows.
    cumulative = (1 / torch.arange(1, rows + 1, dtype=torch.float64)).cumsum(0)
    ranks = torch.searchsorted(cumulative, torch.rand(count, dtype=torch.float64) * cumulative[-1])
    return torch.randperm(rows)[ranks.clamp(max=rows - 1)]

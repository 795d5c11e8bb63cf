"""The cross entropy and the logarithms of the softmax in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled, matrix


def variants(case):
    x, target = matrix(case), torch.randint(0, case.columns, (case.rows,))
    logarithms = filled(x.shape, case.type, torch.zeros)

    def both():
        torch.ops.aten._log_softmax.out(x, 1, False, out=logarithms)
        return torch.nn.functional.nll_loss(logarithms, target, reduction=case.reduction)
    return {"log_softmax, nll_loss": both}

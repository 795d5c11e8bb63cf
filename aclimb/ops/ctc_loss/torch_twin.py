"""The CTC loss of the benchmark and its gradient in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    log_probs = filled((case.steps, case.sequences, case.classes), case.type).log_softmax(2)
    targets = torch.randint(1, case.classes, (case.sequences, case.labels))
    lengths, counts = [case.steps] * case.sequences, [case.labels] * case.sequences
    if case.function == "loss":
        return {"_ctc_loss": lambda: torch._ctc_loss(log_probs, targets, lengths, counts, 0, False)}
    losses, alpha = torch._ctc_loss(log_probs, targets, lengths, counts, 0, False)
    above, backward = torch.ones(case.sequences), torch.ops.aten._ctc_loss_backward
    return {"backward": lambda: backward(above, log_probs, targets, lengths, counts, losses, alpha, 0, False)}

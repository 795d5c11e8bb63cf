"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import Result, call, elements

FUNCTIONS = ["CtcLoss", "CtcLossBackward"]


def check(client, rng, worst, name):
    dtype = rng.choice([torch.float32, torch.float64])
    steps, sequences, classes = rng.randint(6, 20), rng.randint(1, 5), rng.randint(2, 9)
    # Steps enough for all labels, with a blank between equal ones.
    counts = [rng.randint(0, 3) for _ in range(sequences)]
    lengths = [rng.randint(6, steps) for _ in range(sequences)]
    blank, zero = rng.randrange(classes), rng.random() < 0.5
    labels = [label for label in range(classes) if label != blank]
    targets = torch.tensor([[rng.choice(labels) for _ in range(3)] for _ in range(sequences)])
    if rng.random() < 0.5:
        targets = torch.cat([row[:count] for row, count in zip(targets, counts)])
    log_probs = elements([steps, sequences, classes], dtype).log_softmax(-1)
    wide = log_probs.double()
    losses, alpha = torch._ctc_loss(wide, targets, lengths, counts, blank, zero)
    given = [log_probs, targets.to(rng.choice([torch.int64, torch.int32])), lengths, counts]
    if name == "CtcLoss":
        # What stands behind the states of a sequence is PyTorch's own affair.
        for n, (length, count) in enumerate(zip(lengths, counts)):
            alpha[n, length:] = alpha[n, :, 2 * count + 1:] = -torch.inf
        scale = torch.where(alpha.isinf(), torch.ones(()), alpha.abs() + 256)
        call(client, rng, worst, name, *given, blank, zero, Result(losses, dtype, losses.abs() + 256),
             Result(alpha, dtype, scale))
    else:
        above = elements([sequences], dtype)
        losses, alpha = losses.to(dtype), alpha.to(dtype)
        expected = torch.ops.aten._ctc_loss_backward(above.double(), wide, targets, lengths, counts,
                                                     losses.double(), alpha.double(), blank, zero)
        call(client, rng, worst, name, above, *given, losses, alpha, blank, zero,
             Result(expected, dtype, (wide.exp() + expected.abs()) * above.double().abs()[:, None] * 256))

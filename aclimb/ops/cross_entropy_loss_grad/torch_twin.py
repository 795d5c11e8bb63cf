"""The gradient of the cross entropy in PyTorch, for bench/torch_twin.py."""

import math

import torch
from bench_torch_twin import filled

IGNORED = -100
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
# Bytes of a block of rows that stays in the caches between the steps.
BLOCK = 2 << 20


def variants(case):
    rows, columns, dtype = case.rows, case.columns, case.type
    shift = math.log(columns) + 0.5
    log_prob = filled((rows, columns), dtype, lambda n: (torch.randn(n) - shift).clamp_(max=0))
    out = torch.empty_like(log_prob)
    target = torch.randint(0, columns, (rows,))
    target[torch.rand(rows) * 100 < case.ignored_percent] = IGNORED
    weight = (torch.rand(columns) + 0.5) if case.weighted else None
    grad = torch.ones(rows if case.reduction == "none" else (), dtype=dtype)
    lse = torch.full((rows,), shift, dtype=dtype) if case.z_loss_scale else None

    ways = {}
    if not case.label_smoothing and not case.z_loss_scale:
        ways.update(composed(case, grad, log_prob, target, weight, out))
    block = max(1, BLOCK // (columns * log_prob.element_size()))
    ways["exp, mul, scatter"] = by_hand(case, grad, log_prob, target, weight, lse, out, rows)
    if block < rows // 2 and rows // block < 20000:
        ways["exp, mul, scatter, blocks"] = by_hand(case, grad, log_prob, target, weight, lse, out,
                                                    block)
    return ways


def composed(case, grad, log_prob, target, weight, out):
    """What autograd runs: the gradients of nll_loss and of log_softmax."""
    reduction, aten = REDUCTIONS[case.reduction], torch.ops.aten
    half = case.type == torch.float16
    kind = torch.float32 if half else case.type
    w = None if weight is None else weight.to(kind)
    kept = target != IGNORED
    total = (kept if w is None else w[target.clamp(min=0)] * kept).sum().to(kind)
    middle = torch.empty(log_prob.shape, dtype=kind)
    if not half:
        def run():
            aten.nll_loss_backward.grad_input(grad, log_prob, target, w, reduction, IGNORED, total,
                                              grad_input=middle)
            aten._log_softmax_backward_data.out(middle, log_prob, 1, kind, out=out)
        return {"nll_loss, log_softmax": run}

    single, result = torch.empty(log_prob.shape), torch.empty(log_prob.shape)

    def run_half():
        single.copy_(log_prob)
        aten.nll_loss_backward.grad_input(grad.float(), single, target, w, reduction, IGNORED, total,
                                          grad_input=middle)
        aten._log_softmax_backward_data.out(middle, single, 1, kind, out=result)
        out.copy_(result)
    return {"nll_loss, log_softmax in float32": run_half}


def by_hand(case, grad, log_prob, target, weight, lse, out, block):
    """(exp(log_prob) - onehot) * scale, `block` rows at a time."""
    smoothing, columns = case.label_smoothing, case.columns
    half = case.type == torch.float16
    kind = torch.float32 if half else case.type
    buffer = torch.empty((min(block, case.rows), columns)) if half else None

    def run():
        kept = (target != IGNORED).float()
        hit = target.clamp(min=0)
        scale = kept if weight is None else weight[hit] * kept
        each = grad.float()
        if case.reduction == "mean":
            each = each / scale.sum()
        if smoothing:
            total = float(columns) if weight is None else weight.sum()
            spread = kept * each * (smoothing / columns)
            scale = scale * each * (1 - smoothing)
            row = scale + spread * total
        else:
            scale = scale * each
            row = scale
        if lse is not None:
            row = row + 2 * case.z_loss_scale * lse.float() * kept
        row, hot = row.to(kind)[:, None], -scale.to(kind)[:, None]
        for begin in range(0, case.rows, block):
            end = min(begin + block, case.rows)
            result = buffer[:end - begin] if half else out[begin:end]
            if half:
                torch.exp(result.copy_(log_prob[begin:end]), out=result)
            else:
                torch.exp(log_prob[begin:end], out=result)
            if smoothing and weight is None:
                spreads = -spread[begin:end].to(kind)[:, None]
                torch.addcmul(spreads, result, row[begin:end], out=result)
            else:
                result.mul_(row[begin:end])
                if smoothing:
                    result.addr_(spread[begin:end].to(kind), weight.to(kind), alpha=-1)
            result.scatter_add_(1, hit[begin:end, None], hot[begin:end])
            if half:
                out[begin:end].copy_(result)
    return run

#!/usr/bin/env python3
"""Random problems of every operator, run by Aclimb and by PyTorch, compared.

    ACLIMB_LIBRARY=.../libopapi.so crosscheck.py [--cases 200] [--seed 1] [--operator NAME]

The problems cross features in pairs (groups x stride x dilation x padding x view x dtype). PyTorch
computes in float64 from the same rounded inputs; torchvision in float32, whose coordinates are what
RoIAlign is defined by. Where PyTorch computes in the problem's own dtype too, the largest errors of
both against float64 are told side by side, and Aclimb's may not be the larger one.
"""

import argparse
import ctypes
import random
import sys

import torch
import torch.nn.functional as functional
import torchvision

from aclimb_client import NCDHW, NCHW, NCL, ND, Client

RELATIVE = {torch.float32: 1e-4, torch.float16: 2e-3, torch.bfloat16: 1e-2}


def view_of(value, rng):
    """The same values behind other strides: permuted memory, gaps, an offset."""
    kind = rng.choice(["plain", "plain", "permuted", "gaps", "offset"])
    if kind == "plain" or value.dim() == 0 or value.numel() == 0:
        return value.contiguous()
    if kind == "permuted":
        order = list(range(value.dim()))
        rng.shuffle(order)
        inverse = [order.index(d) for d in range(value.dim())]
        return value.permute(order).contiguous().permute(inverse)
    if kind == "gaps":
        wide = torch.full([*value.shape[:-1], value.shape[-1] * 2 + 1], 7.0).to(value.dtype)
        view = wide[..., 1::2]
        view.copy_(value)
        return view
    flat = torch.full([value.numel() + 5], 7.0).to(value.dtype)
    view = flat[5:].view(value.shape)
    view.copy_(value)
    return view


def poisoned(shape, dtype, rng):
    return view_of(torch.full(shape, float("nan")).to(dtype), rng)


class Mismatch(Exception):
    pass


class Worst:
    """The largest errors of each operator and dtype: as shares of the bound, and Aclimb's and PyTorch's
    relative to the bound's scale, where cancellation does not make chance of them.
    """

    MARGIN = 1.5

    def __init__(self):
        self.of_bound, self.both = 0.0, {}

    def add(self, dtype, of_bound, ours, theirs):
        self.of_bound = max(self.of_bound, of_bound)
        if theirs is not None:
            before = self.both.get(dtype, (0.0, 0.0))
            self.both[dtype] = (max(before[0], ours), max(before[1], theirs))

    def larger(self):
        return [dtype for dtype, (ours, theirs) in self.both.items() if ours > self.MARGIN * theirs]

    def text(self):
        lines = [f"largest error {self.of_bound:.3f} of its bound"]
        lines += [f"{str(dtype).split('.')[-1]} {ours:.2e} beside PyTorch's {theirs:.2e}"
                  for dtype, (ours, theirs) in sorted(self.both.items(), key=str)]
        return "; ".join(lines)


def compare(worst, got, expected, dtype, scale, what, peer=None):
    """|got - expected| <= relative * max(|expected|, 2^-8 * scale); scale = sum of |terms|.

    peer is PyTorch's result in the problem's own dtype, or None.
    """
    if got.numel() == 0:
        return
    got, expected = got.double(), expected.double()
    bound = RELATIVE[dtype] * torch.maximum(expected.abs(), scale.double() * 2**-8) + 1e-7
    wrong = ~(((got - expected).abs() <= bound) | (got == expected) | (got.isnan() & expected.isnan()))
    if wrong.any():
        at = wrong.nonzero()[0].tolist()
        raise Mismatch(f"{what}: {int(wrong.sum())} of {wrong.numel()} differ, first at {at}: "
                       f"got {got[tuple(at)]}, expected {expected[tuple(at)]}")

    def largest(value, unit):
        return float(((value.double() - expected).abs() / unit).nan_to_num(nan=0.0, posinf=0.0).max())

    worst.add(dtype, largest(got, bound), largest(got, scale.double()),
              None if peer is None else largest(peer, scale.double()))


def elu(client, rng, worst):
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    shape = [rng.randint(1, 9) for _ in range(rng.randint(0, 4))]
    alpha, scale, input_scale = rng.uniform(0, 2), rng.uniform(0.1, 2), rng.uniform(0.1, 2)
    is_result = rng.random() < 0.5
    grad = (torch.randn(shape) * 2).to(dtype)
    value = (torch.randn(shape) * 2).to(dtype)
    out = poisoned(shape, dtype, rng)
    tensors = [client.tensor(view_of(grad, rng)), client.tensor(view_of(value, rng)), client.tensor(out)]
    client.run("aclnnEluBackward", tensors[0], client.scalar(alpha), client.scalar(scale),
               client.scalar(input_scale), ctypes.c_bool(is_result), tensors[1], tensors[2])

    def reference(g, v):
        return torch.ops.aten.elu_backward(g, alpha, scale, input_scale, is_result, v)

    expected = reference(grad.double(), value.double())
    # PyTorch's Elu has no float16 on a CPU.
    peer = None if dtype == torch.float16 else reference(grad, value)
    magnitude = grad.abs().double() * (value.abs().double() + alpha * scale + scale) * 256
    compare(worst, tensors[2].read(), expected, dtype, magnitude,
            f"elu {shape} {dtype} alpha={alpha} result={is_result}", peer)


def embedding(client, rng, worst):
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    index_dtype = rng.choice([torch.int64, torch.int32, torch.int16, torch.uint8])
    rows, width, count = rng.randint(1, 60), rng.randint(1, 70), rng.randint(1, 200)
    padding = rng.choice([-1, rng.randrange(rows)])
    by_frequency = rng.random() < 0.5
    grad = torch.randn(count, width).to(dtype)
    indices = torch.randint(0, rows, [count]).to(index_dtype)
    out = poisoned([rows, width], dtype, rng)
    tensors = [client.tensor(view_of(grad, rng)), client.tensor(view_of(indices, rng)),
               client.tensor(out)]
    client.run("aclnnEmbeddingDenseBackward", tensors[0], tensors[1], ctypes.c_uint64(rows),
               ctypes.c_uint64(padding & (2**64 - 1)), ctypes.c_bool(by_frequency), tensors[2])

    def reference(values):
        return torch.ops.aten.embedding_dense_backward(values, indices.long(), rows, padding,
                                                       by_frequency)

    compare(worst, tensors[2].read(), reference(grad.double()), dtype,
            reference(grad.double().abs()) * 256,
            f"embedding {rows}x{width} n={count} {dtype} padding={padding}", reference(grad))


def cross_entropy(client, rng, worst):
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    rows, classes = rng.randint(1, 40), rng.choice([1, 2, 7, 10, 33, 100, 257])
    reduction = rng.choice(["none", "mean", "sum"])
    ignore = rng.choice([-100, rng.randrange(classes)])
    weighted = rng.random() < 0.5
    log_prob = functional.log_softmax(torch.randn(rows, classes) * 2, dim=1).to(dtype)
    target = torch.randint(0, classes, [rows])
    if ignore < 0 and rows > 2:
        target[rng.randrange(rows)] = ignore
    if bool((target == ignore).all()):
        return
    weight = torch.rand(classes) + 0.1 if weighted else None
    grad = torch.randn([rows] if reduction == "none" else []).to(dtype)
    out = poisoned([rows, classes], dtype, rng)
    none = ctypes.c_void_p()
    tensors = [client.tensor(grad), client.tensor(view_of(log_prob, rng)),
               client.tensor(view_of(target, rng)), client.tensor(out)]
    weight_tensor = client.tensor(weight) if weighted else none
    client.run("aclnnCrossEntropyLossGrad", tensors[0], tensors[1], tensors[2], weight_tensor, none,
               none, reduction.encode(), ctypes.c_int64(ignore), ctypes.c_double(0),
               ctypes.c_double(0), tensors[3])
    # nll_loss backward through the saved log-softmax, in double.
    probability = log_prob.double().exp()
    row_weight = torch.where(target == ignore, torch.zeros(rows, dtype=torch.float64),
                             (weight if weighted else torch.ones(classes)).double()[
                                 target.clamp(0, classes - 1)])
    scale = grad.double() / row_weight.sum() if reduction == "mean" else grad.double()
    row = (scale * row_weight).reshape(rows, 1)
    hot = functional.one_hot(target.clamp(0, classes - 1), classes).double()
    expected = row * (probability - hot)
    # What autograd runs in the problem's dtype; PyTorch has no float16 there.
    peer = None
    if dtype != torch.float16:
        aten, kept = torch.ops.aten, (weight if weighted else torch.ones(classes)).to(dtype)
        total = torch.where(target == ignore, torch.zeros(()).to(dtype),
                            kept[target.clamp(0, classes - 1)]).sum()
        number = {"none": 0, "mean": 1, "sum": 2}[reduction]
        middle = aten.nll_loss_backward(grad, log_prob, target, kept, number, ignore, total)
        peer = aten._log_softmax_backward_data(middle, log_prob, 1, dtype)
    compare(worst, tensors[3].read(), expected, dtype, row.abs() * (probability + hot) * 256,
            f"cross entropy {rows}x{classes} {dtype} {reduction} ignore={ignore}", peer)


def roi_align(client, rng, worst):
    batch, channels = rng.randint(1, 3), rng.randint(1, 20)
    height, width = rng.randint(1, 30), rng.randint(1, 30)
    regions = rng.randint(1, 12)
    pooled = [rng.randint(1, 8), rng.randint(1, 8)]
    scale = rng.choice([0.0625, 0.25, 1.0, 0.3])
    ratio = rng.randint(0, 3)
    aligned = rng.random() < 0.5
    corners = torch.rand(regions, 4) * torch.tensor([width, height, width, height]) * 1.2 / scale
    corners -= 0.1 * max(width, height) / scale
    low = torch.minimum(corners[:, :2], corners[:, 2:])
    high = torch.maximum(corners[:, :2], corners[:, 2:])
    boxes = torch.cat([torch.randint(0, batch, [regions, 1]).float(), low, high], dim=1)
    grad = torch.randn(regions, channels, *pooled)
    out = poisoned([batch, channels, height, width], torch.float32, rng)
    tensors = [client.tensor(view_of(grad, rng), NCHW), client.tensor(view_of(boxes, rng)),
               client.tensor(out, NCHW)]
    client.run("aclnnRoiAlignV2Backward", tensors[0], tensors[1],
               client.ints([batch, channels, height, width]), ctypes.c_int64(pooled[0]),
               ctypes.c_int64(pooled[1]), ctypes.c_float(scale), ctypes.c_int64(ratio),
               ctypes.c_bool(aligned), tensors[2])

    def reference(values):
        features = torch.zeros(batch, channels, height, width, requires_grad=True)
        torchvision.ops.roi_align(features, boxes, pooled, scale, ratio if ratio else -1,
                                  aligned).backward(values)
        return features.grad

    compare(worst, tensors[2].read(), reference(grad), torch.float32, reference(grad.abs()) * 256,
            f"roi_align {batch}x{channels}x{height}x{width} pooled={pooled} ratio={ratio} "
            f"aligned={aligned} scale={scale} boxes={boxes.tolist()}")


def convolution(client, rng, worst):
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    n = rng.randint(1, 3)
    transposed = rng.random() < 0.4
    groups = rng.choice([1, 1, 2, 3, 4])
    per_group = [rng.choice([1, 2, 4, 9]), rng.choice([1, 2, 3, 8])]
    channels_in, channels_out = groups * per_group[0], groups * per_group[1]
    stride = [rng.randint(1, 3) for _ in range(n)]
    dilation = [rng.randint(1, 3) for _ in range(n)]
    kernel = [rng.randint(1, 4) for _ in range(n)]
    padding = [rng.randint(0, 3) for _ in range(n)]
    output_padding = [rng.randrange(s) if transposed else 0 for s in stride]
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel)]
    size = [max(1, r - 2 * p, 1) + rng.randint(0, 9) for r, p in zip(reach, padding)]
    if transposed:
        out_size = [(i - 1) * s - 2 * p + r + o for i, s, p, r, o in
                    zip(size, stride, padding, reach, output_padding)]
        if min(out_size) < 1:
            return
        weight_shape = [channels_in, per_group[1], *kernel]
    else:
        out_size = [(i + 2 * p - r) // s + 1 for i, s, p, r in zip(size, stride, padding, reach)]
        weight_shape = [channels_out, per_group[0], *kernel]
    batch = rng.randint(1, 3)
    x = torch.randn(batch, channels_in, *size).to(dtype)
    w = torch.randn(weight_shape).to(dtype)
    g = torch.randn(batch, channels_out, *out_size).to(dtype)
    format = {1: NCL, 2: NCHW, 3: NCDHW}[n]
    outputs = [client.tensor(poisoned(list(x.shape), dtype, rng), format),
               client.tensor(poisoned(list(w.shape), dtype, rng), format),
               client.tensor(poisoned([channels_out], dtype, rng))]
    inputs = [client.tensor(view_of(v, rng), format) for v in (g, x, w)]
    client.run("aclnnConvolutionBackward", *inputs, client.ints([channels_out]), client.ints(stride),
               client.ints(padding), client.ints(dilation), ctypes.c_bool(transposed),
               client.ints(output_padding), ctypes.c_int(groups), client.bools([True] * 3),
               ctypes.c_int8(0), *outputs)

    def reference(gv, xv, wv):
        return torch.ops.aten.convolution_backward(gv, xv, wv, [channels_out], stride, padding,
                                                   dilation, transposed, output_padding, groups,
                                                   [True] * 3)

    expected = reference(g.double(), x.double(), w.double())
    magnitude = reference(g.double().abs(), x.double().abs(), w.double().abs())
    try:
        peers = reference(g, x, w)
    except RuntimeError:  # no float16, and no bfloat16 where it is transposed
        peers = [None] * 3
    for name, got, want, scale, peer in zip(("gradInput", "gradWeight", "gradBias"), outputs, expected,
                                            magnitude, peers):
        what = (f"convolution {name} x={list(x.shape)} w={weight_shape} {dtype} s={stride} p={padding} "
                f"d={dilation} g={groups} transposed={transposed} op={output_padding}")
        compare(worst, got.read(), want, dtype, scale, what, peer)


OPERATORS = {"elu": elu, "embedding": embedding, "cross_entropy": cross_entropy,
             "roi_align": roi_align, "convolution": convolution}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--operator", choices=list(OPERATORS), action="append")
    options = parser.parse_args()
    client = Client()
    failed = 0
    for name in options.operator or OPERATORS:
        worst, wrong = Worst(), 0
        for case in range(options.cases):
            seed = options.seed * 1000003 + case
            torch.manual_seed(seed)
            try:
                OPERATORS[name](client, random.Random(seed), worst)
            except Exception as error:  # noqa: BLE001 - every failure is a finding, with its seed
                wrong += 1
                print(f"{name} case {case}: {error}", file=sys.stderr)
        # Of few cases chance decides.
        for dtype in worst.larger() if options.cases >= 100 else ():
            wrong += 1
            print(f"{name} {dtype}: errors larger than PyTorch's", file=sys.stderr)
        failed += wrong
        print(f"{name}: {options.cases} cases, {wrong} wrong; {worst.text()}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

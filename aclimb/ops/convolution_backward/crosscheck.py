"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from aclimb_client import NCDHW, NCHW, NCL
from comparison import compare, poisoned, view_of

FUNCTIONS = ["Convolution", "ConvolutionBackward"]


def check(client, rng, worst, name):
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
    attributes = [stride, padding, dilation, transposed, output_padding, groups]
    passed = [client.ints(stride), client.ints(padding), client.ints(dilation), ctypes.c_bool(transposed),
              client.ints(output_padding)]
    what = (f"x={list(x.shape)} w={weight_shape} {dtype} s={stride} p={padding} d={dilation} g={groups} "
            f"transposed={transposed} op={output_padding}")
    if name == "Convolution":
        bias = torch.randn(channels_out).to(dtype) if rng.random() < 0.5 else None
        out = client.tensor(poisoned(list(g.shape), dtype, rng), format)
        client.run("aclnn" + name, *(client.tensor(view_of(v, rng), format) for v in (x, w)),
                   None if bias is None else client.tensor(view_of(bias, rng)), *passed, ctypes.c_int64(groups), out,
                   ctypes.c_int8(0))

        def forward(*tensors):
            return torch.ops.aten.convolution(*tensors, *attributes)

        wide = [None if v is None else v.double() for v in (x, w, bias)]
        sizes = [None if v is None else v.abs() for v in wide]
        compare(worst, out.read(), forward(*wide), dtype, forward(*sizes), f"{name} {what} bias={bias is not None}")
        return
    outputs = [client.tensor(poisoned(list(x.shape), dtype, rng), format),
               client.tensor(poisoned(list(w.shape), dtype, rng), format),
               client.tensor(poisoned([channels_out], dtype, rng))]
    inputs = [client.tensor(view_of(v, rng), format) for v in (g, x, w)]
    client.run("aclnn" + name, *inputs, client.ints([channels_out]), *passed, ctypes.c_int(groups),
               client.bools([True] * 3), ctypes.c_int8(0), *outputs)

    def reference(gv, xv, wv):
        return torch.ops.aten.convolution_backward(gv, xv, wv, [channels_out], *attributes, [True] * 3)

    expected = reference(g.double(), x.double(), w.double())
    magnitude = reference(g.double().abs(), x.double().abs(), w.double().abs())
    try:
        peers = reference(g, x, w)
    except RuntimeError:  # no float16, and no bfloat16 where it is transposed
        peers = [None] * 3
    for of, got, want, scale, peer in zip(("gradInput", "gradWeight", "gradBias"), outputs, expected, magnitude, peers):
        compare(worst, got.read(), want, dtype, scale, f"{name}.{of} {what}", peer)

"""LSTM, GRU and their cells, forward and gradient, against PyTorch on the CPU. torch_npu computes them
by the type names DynamicRNN, DynamicGRUV2 and DynamicRNNV2 and their gradients."""

import itertools
import warnings

import torch
import torch_npu  # noqa: F401
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from steps import expect, main, refusal

STEPS, BATCH, INPUTS, HIDDEN = 7, 5, 6, 18
LENGTHS = [7, 7, 5, 2, 1]


def run(layer, x, states, lengths, device, dtype):
    """Output, states and all gradients, as float32 on the CPU."""
    layer = layer.to(device, dtype)
    layer.zero_grad()
    inputs = [value.to(device, dtype).detach().requires_grad_() for value in (x, *states)]
    given = inputs[0]
    if lengths is not None:
        given = pack_padded_sequence(given, torch.tensor(lengths), layer.batch_first)
    first = tuple(inputs[1:]) if len(states) == 2 else inputs[1] if states else None
    y, last = layer(given, first)
    last = last if isinstance(last, tuple) else (last,)
    if lengths is not None:
        y, got = pad_packed_sequence(y, layer.batch_first)
        expect(got.tolist() == lengths, got)
    generator = torch.Generator().manual_seed(5)
    loss = sum((value * torch.randn(value.shape, generator=generator).to(device, dtype)).sum()
               for value in (y, *last))
    loss.backward()
    results = {"y": y, **dict(zip("hc", last))}
    for name, value in zip(("x", "h0", "c0"), inputs):
        results["gradient of " + name] = value.grad
    for name, value in layer.named_parameters():
        results["gradient of " + name] = value.grad
    return {name: value.detach().float().cpu() for name, value in results.items()}


def compare(dtype, layers, bidirectional, packed=False, batch_first=False, states=True, bias=True,
            kind=torch.nn.LSTM):
    torch.manual_seed(1)
    layer = kind(INPUTS, HIDDEN, layers, bias=bias, batch_first=batch_first,
                 bidirectional=bidirectional)
    x = torch.randn(STEPS, BATCH, INPUTS)
    count = layers * (2 if bidirectional else 1)
    first = [torch.randn(count, BATCH, HIDDEN) / 2 for _ in range(2 if kind is torch.nn.LSTM else 1)]
    first = first if states else []
    if batch_first:
        x = x.transpose(0, 1).contiguous()
    lengths = LENGTHS if packed else None
    # Half types are rounded once at the beginning, and computed in float32 on the CPU.
    layer, x, first = layer.to(dtype).float(), x.to(dtype).float(), [s.to(dtype).float() for s in first]
    wanted = run(layer, x, first, lengths, "cpu", torch.float32)
    got = run(layer, x, first, lengths, "npu", dtype)
    allowed = 1e-5 if dtype == torch.float32 else 2e-2
    if packed:
        # torch_npu packs with the padding, and takes the gradient apart as if there were none.
        del wanted["gradient of x"]
    for name, value in wanted.items():
        scale = max(1, value.abs().max().item())
        worst = (got[name] - value).abs().max().item() / scale
        expect(worst <= allowed, f"{kind.__name__}, {dtype}, {layers} layers, bidirectional {bidirectional}: "
                                 f"{name} is off by {worst:.2e}")


def one_and_two_layers():
    for dtype, layers in itertools.product((torch.float32, torch.float16), (1, 2)):
        compare(dtype, layers, False)


def both_directions():
    for dtype, layers in itertools.product((torch.float32, torch.float16), (1, 2)):
        compare(dtype, layers, True)


def other_forms():
    compare(torch.float32, 3, False, batch_first=True)
    compare(torch.float32, 1, False, states=False)
    compare(torch.float32, 2, True, bias=False)


def packed():
    for dtype, layers in itertools.product((torch.float32, torch.float16), (1, 2)):
        compare(dtype, layers, False, packed=True)


def plain_formats():
    warnings.filterwarnings("ignore", "Cannot create tensor with interal format")
    torch.npu.config.allow_internal_format = False
    compare(torch.float32, 2, True)
    compare(torch.float32, 1, False, packed=True)
    compare(torch.float32, 2, True, kind=torch.nn.GRU)


def gru():
    for dtype, layers, bidirectional in itertools.product(
            (torch.float32, torch.float16), (1, 2), (False, True)):
        compare(dtype, layers, bidirectional, kind=torch.nn.GRU)
    compare(torch.float32, 2, False, batch_first=True, kind=torch.nn.GRU)
    compare(torch.float32, 1, False, states=False, kind=torch.nn.GRU)


def cells():
    """Three steps by hand; each state goes into the next step and into the loss."""
    def steps(cell, device, dtype):
        cell = cell.to(device, dtype)
        cell.zero_grad()
        generator = torch.Generator().manual_seed(2)
        x = torch.randn(3, BATCH, INPUTS, generator=generator).to(device, dtype).requires_grad_()
        state, loss = None, 0
        for step in x:
            state = cell(step, state)
            for value in state if isinstance(state, tuple) else (state,):
                loss = loss + (value * torch.randn(value.shape, generator=generator).to(device, dtype)).sum()
        loss.backward()
        values = [loss.detach().reshape(1), x.grad, *(one.grad for one in cell.parameters())]
        # Copies, since the cell takes its gradients to the next device.
        return [value.float().cpu().clone() for value in values]

    for kind, bias, dtype in itertools.product((torch.nn.LSTMCell, torch.nn.GRUCell), (True, False),
                                               (torch.float32, torch.float16)):
        torch.manual_seed(1)
        cell = kind(INPUTS, HIDDEN, bias=bias).to(dtype).float()
        wanted, got = steps(cell, "cpu", torch.float32), steps(cell, "npu", dtype)
        allowed = 1e-5 if dtype == torch.float32 else 3e-2
        for one, other in zip(got, wanted):
            worst = (one - other).abs().max().item() / max(1, other.abs().max().item())
            expect(worst <= allowed, f"{kind.__name__}, {dtype}, bias {bias}: off by {worst:.2e}")


def no_bfloat16():
    layer = torch.nn.LSTM(INPUTS, HIDDEN).npu().bfloat16()
    text = refusal(lambda: layer(torch.randn(STEPS, BATCH, INPUTS).npu().bfloat16())[0].cpu())
    expect("DynamicRNN" in text and "to be FLOAT or FLOAT16" in text, text)


if __name__ == "__main__":
    # torch_npu's own, of torch.nn.GRU and torch.nn.LSTMCell.
    warnings.filterwarnings("ignore", "torch_npu.npu_gru is deprecated")
    warnings.filterwarnings("ignore", "Cannot create tensor with NZ format while dim < 2")
    main(one_and_two_layers, both_directions, other_forms, packed, gru, cells, plain_formats, no_bfloat16)

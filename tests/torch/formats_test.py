"""Tensors in the chip's own formats: casts to and from plain ones, bit by bit, and operators, which
torch_npu then calls by their type names, forward and gradient, against PyTorch on the CPU."""

import warnings

import torch
import torch.nn.functional as F
import torch_npu

from steps import expect, main

NC1HWC0, FRACTAL_Z, FRACTAL_NZ = 3, 4, 29


def casts():
    for dtype in (torch.float16, torch.float32, torch.bfloat16):
        for shape, format in (((2, 19, 3, 5), NC1HWC0), ((1, 32, 4, 4), NC1HWC0),
                              ((20, 3, 3, 2), FRACTAL_Z), ((16, 16, 1, 1), FRACTAL_Z),
                              ((3, 17, 18), FRACTAL_NZ), ((32, 48), FRACTAL_NZ)):
            host = torch.randint(-30000, 30000, shape, dtype=torch.int16)
            host = host.view(torch.float16) if dtype == torch.float16 else host.to(dtype)
            host = host.nan_to_num()
            cast = torch_npu.npu_format_cast(host.npu(), format)
            expect(torch_npu.get_npu_format(cast) == format, torch_npu.get_npu_format(cast))
            plain = torch_npu.npu_format_cast(cast, 2)
            for back in (cast.cpu(), plain.cpu(), cast.clone().cpu()):
                expect(torch.equal(back, host), f"{dtype}, {shape} in format {format}")


def ones(x, *shape):
    return torch.ones(*shape, dtype=x.dtype, device=x.device)


# Of two tensors.
ALIKE = {
    "add": lambda x, y: x + y, "alpha": lambda x, y: torch.add(x, y, alpha=2),
    "number": lambda x, y: 1 - (x + 1.5) / 3, "in place": lambda x, y: (x * 1).add_(y).mul_(2).relu_(),
    "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / (y.abs() + 1),
    "roots": lambda x, y: (x.abs() + 1).sqrt() + (x.abs() + 1).rsqrt(),
    "square": lambda x, y: x.square(), "exp": lambda x, y: x.exp() + (x.abs() + 1).neg().reciprocal(),
    "relu": lambda x, y: x.relu(), "sigmoid": lambda x, y: x.sigmoid(), "tanh": lambda x, y: x.tanh(),
    "log": lambda x, y: (x.abs() + 1).log(), "silu": lambda x, y: F.silu(x),
    "relu6": lambda x, y: F.relu6(x * 2.5), "clamp": lambda x, y: x.clamp(-1, 1),
    "where": lambda x, y: torch.where(x > 0, x, y), "maximum": lambda x, y: torch.maximum(x, y),
    "leaky_relu": lambda x, y: F.leaky_relu(x, 0.1), "hardswish": lambda x, y: F.hardswish(x),
    "mean": lambda x, y: x.mean(), "mean of a dimension": lambda x, y: x.mean(1),
    "sum": lambda x, y: x.sum(-1), "amax": lambda x, y: x.amax(1),
    "softmax": lambda x, y: x.softmax(-1), "log_softmax": lambda x, y: x.log_softmax(1),
    "cat": lambda x, y: torch.cat([x, y], 1), "stack": lambda x, y: torch.stack([x, y]),
    "chunk": lambda x, y: x.chunk(2, -1)[1] * 1, "flatten": lambda x, y: x.flatten(1) * 1,
    "transpose": lambda x, y: x.transpose(1, 2) * 1, "select": lambda x, y: x[:, -1] * 1,
    "slice": lambda x, y: x[:, 1:4] * 1 if not x.requires_grad else x * 1,
    "expand": lambda x, y: x[:1].expand(3, *x.shape[1:]) * 1, "flip": lambda x, y: x.flip(0),
    "clone": lambda x, y: x.clone(), "matmul": lambda x, y: x @ y.transpose(-1, -2),
    "linear": lambda x, y: F.linear(x, ones(x, 4, x.shape[-1]), ones(x, 4)),
    "cross_entropy": lambda x, y: F.cross_entropy(
        x.reshape(-1, x.shape[-1]), ones(x, x.numel() // x.shape[-1]).long()),
}
# Of images [2, 20, 6, 6].
IMAGES = {
    "conv2d": lambda x, y: F.conv2d(x, ones(x, 8, 20, 3, 3) / 50, ones(x, 8), padding=1),
    "conv_transpose2d": lambda x, y: F.conv_transpose2d(x, ones(x, 20, 4, 3, 3) / 50),
    "depthwise": lambda x, y: F.conv2d(x, ones(x, 20, 1, 3, 3) / 9, groups=20),
    "batch_norm": lambda x, y: F.batch_norm(x, *statistics(x), training=True),
    "max_pool2d": lambda x, y: F.max_pool2d(x, 3, 2, 1), "avg_pool2d": lambda x, y: F.avg_pool2d(x, 2),
    "adaptive_avg_pool2d": lambda x, y: F.adaptive_avg_pool2d(x, 1),
    "adaptive means": lambda x, y: F.adaptive_avg_pool2d(x, (2, 3)),
    "nearest": lambda x, y: F.interpolate(x, scale_factor=2),
    "pixel_shuffle": lambda x, y: F.pixel_shuffle(x, 2),
}


def statistics(x):
    float32 = x.float()
    return (0 * ones(float32, 20), ones(float32, 20), 1.5 * ones(float32, 20), ones(float32, 20))


def run(function, device, dtype, format):
    tensors = []
    for seed in (0, 1):
        shape = (2, 20, 6, 6) if format == NC1HWC0 else (3, 17, 18)
        x = torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)
        x = torch_npu.npu_format_cast(x.npu(), format) if device == "npu" else x.float()
        tensors.append(x.requires_grad_())
    result = function(*tensors)
    # Not all ones: sums of a softmax's gradients would be 0.
    weight = torch.linspace(-1, 1, result.numel()).reshape(result.shape).to(dtype)
    result.backward(weight.npu() if device == "npu" else weight.float())
    values = [result, *(x.grad for x in tensors if x.grad is not None)]
    return [value.detach().float().cpu() for value in values]


def compare(functions, dtype, format, allowed):
    wrong = []
    for name, function in functions.items():
        for got, wanted in zip(run(function, "npu", dtype, format),
                               run(function, "cpu", dtype, format), strict=True):
            worst = (got - wanted).abs().max().item() / max(1, wanted.abs().max().item())
            if not worst <= allowed:
                wrong.append(f"{name} is off by {worst:.2e}")
    expect(not wrong, "; ".join(wrong))


def operators_in_nc1hwc0():
    compare(ALIKE | IMAGES, torch.float16, NC1HWC0, 1e-2)
    compare(ALIKE | IMAGES, torch.float32, NC1HWC0, 2e-5)


def operators_in_fractals():
    compare(ALIKE, torch.float32, FRACTAL_NZ, 2e-5)
    compare(ALIKE, torch.float16, FRACTAL_NZ, 1e-2)


def dropout():
    """Kept elements are scaled, and the gradient keeps the same ones."""
    for shape, format in (((8, 20, 16, 16), NC1HWC0), ((5, 33, 70), FRACTAL_NZ)):
        torch.manual_seed(0)
        x = torch_npu.npu_format_cast(torch.ones(shape).half().npu(), format).requires_grad_()
        y = F.dropout(x, 0.25)
        # A plain gradient would be refused: the mask has bits for the padding.
        y.backward(torch_npu.npu_format_cast(torch.ones(shape).half().npu(), format))
        kept, grad = y.detach().cpu().float(), x.grad.cpu().float()
        expect(torch.equal(kept, grad), "the gradient is of other elements")
        share = (kept != 0).float().mean().item()
        expect(abs(share - 0.75) < 0.02, f"{share} of the elements are kept")
        values = kept[kept != 0].unique()
        expect(len(values) == 1 and abs(values.item() - 4 / 3) < 1e-3, values)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main(casts, operators_in_nc1hwc0, operators_in_fractals, dropout)

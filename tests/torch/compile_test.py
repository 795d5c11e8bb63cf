"""torch.jit, torch.export, torch.func and torch.compile: what works, and how the rest refuses."""

import os
import tempfile
import warnings

import torch
import torch_npu  # noqa: F401

from steps import expect, main


class Branches(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, x):
        y = self.layer(x) if bool(x.sum() > 0) else -self.layer(x)
        for _ in range(2):
            y = torch.relu(y) + x
        return y


def network():
    torch.manual_seed(0)
    return Branches().npu(), torch.rand(4, 8).npu().requires_grad_()


def equal(a, b):
    expect(torch.equal(a.cpu(), b.cpu()), (a - b).abs().max())


def gradient(layers, x):
    return torch.autograd.grad(layers(x).sum(), x)[0]


def script_and_trace():
    layers, x = network()
    script = torch.jit.script(layers)
    for _ in range(3):  # the first runs are observed, the later ones optimized
        equal(script(x), layers(x))
        equal(gradient(script, x), gradient(layers, x))
    equal(script(-x), layers(-x))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(layers, x)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "traced.pt")
        traced.save(path)
        equal(torch.jit.load(path)(x), layers(x))
    equal(torch.jit.freeze(torch.jit.script(layers.eval()))(x), layers(x))


def export_and_transforms():
    layers, x = torch.nn.Linear(8, 8).npu(), torch.rand(4, 8).npu()
    equal(torch.export.export(layers, (x,)).module()(x), layers(x))
    equal(torch.func.grad(lambda a: (a ** 2).sum())(x), 2 * x)
    equal(torch.vmap(lambda a: a * 2)(x), 2 * x)


def compiled_without_a_code_generator():
    layers, x = network()
    for backend in ("eager", "aot_eager", "npugraphs"):
        torch._dynamo.reset()
        compiled = torch.compile(layers.layer, backend=backend)
        equal(compiled(x), layers.layer(x))
        equal(gradient(compiled, x), gradient(layers.layer, x))


def compiled_otherwise():
    layers, x = network()
    # The first generates code for the chip, the second graphs for the vendor's engine.
    for backend in ("inductor", "npu"):
        torch._dynamo.reset()
        try:
            torch.compile(layers.layer, backend=backend)(x)
        except Exception as error:  # noqa: BLE001 (another one in each version)
            print(f"    {backend}: {type(error).__name__}: {str(error).strip().splitlines()[0]}")
        else:
            raise AssertionError(f"{backend} works: docs/pytorch.md says that it does not")
        equal(torch.relu(x), x)  # nothing stays broken


if __name__ == "__main__":
    main(script_and_trace, export_and_transforms, compiled_without_a_code_generator,
         compiled_otherwise)

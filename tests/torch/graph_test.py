"""NPU graphs: what was captured computes again, on new values."""

import torch
import torch_npu  # noqa: F401

from steps import expect, main


def network():
    torch.manual_seed(5)
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(approximate="tanh"),
                               torch.nn.Linear(16, 4)).npu()


def inference():
    layers = network()
    given = torch.zeros(32, 8).npu()
    graph = torch.npu.NPUGraph()
    with torch.no_grad(), torch.npu.graph(graph):
        result = layers(given)
    for seed in range(3):
        given.copy_(torch.randn(32, 8, generator=torch.Generator().manual_seed(seed)))
        graph.replay()
        with torch.no_grad():
            expected = layers(given)
        torch.npu.synchronize()
        expect(torch.equal(result.cpu(), expected.cpu()), (result - expected).abs().max())


def training():
    given, target = torch.randn(32, 8).npu(), torch.randn(32, 4).npu()

    def step(layers, optimizer):
        optimizer.zero_grad(set_to_none=False)
        torch.nn.functional.mse_loss(layers(given), target).backward()
        optimizer.step()

    layers = [network(), network()]
    optimizers = [torch.optim.SGD(part.parameters(), lr=0.1, momentum=0.9) for part in layers]
    side = torch.npu.Stream()
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        for part, optimizer in zip(layers, optimizers):
            for _ in range(3):
                step(part, optimizer)
    torch.npu.current_stream().wait_stream(side)
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        step(layers[0], optimizers[0])
    for _ in range(5):
        graph.replay()
        step(layers[1], optimizers[1])
    torch.npu.synchronize()
    for a, b in zip(layers[0].parameters(), layers[1].parameters()):
        expect(torch.equal(a.cpu(), b.cpu()), (a - b).abs().max())


if __name__ == "__main__":
    main(inference, training)

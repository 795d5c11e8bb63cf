"""What Aclimb does not have is refused by name, and never answered with wrong numbers."""

import torch
import torch_npu

from steps import expect, main, python, refusal


def internal_formats():
    """Convolutions take the way of the chip's own formats unless that is switched off. In float32 it
    leads to plain tensors, in float16 to NC1HWC0."""
    torch.manual_seed(0)
    layer = torch.nn.Conv2d(3, 8, 3)
    host = torch.randn(2, 3, 8, 8, requires_grad=True)
    expected = layer(host)
    expected.square().sum().backward()
    wanted = [host.grad, layer.weight.grad, layer.bias.grad]
    layer.zero_grad()
    layer = layer.npu()
    device = host.detach().npu().requires_grad_()
    result = layer(device)
    expect(torch.allclose(result.cpu(), expected, atol=1e-5), (result.cpu() - expected).abs().max())
    result.square().sum().backward()
    for got, grad in zip([device.grad, layer.weight.grad, layer.bias.grad], wanted):
        expect(torch.allclose(got.cpu(), grad, rtol=1e-4, atol=1e-4), (got.cpu() - grad).abs().max())
    layer = layer.half()
    result = layer(device.half())
    expect(torch_npu.get_npu_format(result) == 3, torch_npu.get_npu_format(result))
    result = result.detach().cpu().float()
    expect(torch.allclose(result, expected, atol=1e-2), (result - expected).abs().max())
    torch.npu.config.allow_internal_format = False
    result = layer(device.half()).detach().float().cpu()
    expect(torch.allclose(result, expected, atol=1e-2), (result - expected).abs().max())


def dumps():
    torch_npu.npu.init_dump()  # torch_npu looks at no code
    expect(torch.equal(torch.arange(3.0).npu().cpu(), torch.arange(3.0)), "after a refusal")


def wrong_shape():
    text = refusal(lambda: torch.ops.aten.elu_backward(
        torch.ones(4).npu(), 1.0, 1.0, 1.0, False, torch.ones(5).npu()))
    expect("aclnnEluBackward" in text and "fix:" in text, text)


def one_message_for_one_mistake():
    """torch_npu asks for the current device before it sets one; that is no part of the first error."""
    out = python("import torch, torch_npu\n"
                 "try:\n"
                 "    torch.ones(2, 3).npu() @ torch.ones(4, 5).npu()\n"
                 "except RuntimeError as error:\n"
                 "    print(error)")
    expect("self.shape[1], which is 3, and mat2.shape[0], which is 4, to be equal" in out, out)
    expect(out.count("rule: ") == 1, out)


if __name__ == "__main__":
    main(internal_formats, dumps, wrong_shape, one_message_for_one_mistake)

"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from comparison import compare, poisoned, view_of

FUNCTIONS = ["EluBackward"]


def check(client, rng, worst, name):
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    shape = [rng.randint(1, 9) for _ in range(rng.randint(0, 4))]
    alpha, scale, input_scale = rng.uniform(0, 2), rng.uniform(0.1, 2), rng.uniform(0.1, 2)
    is_result = rng.random() < 0.5
    grad = (torch.randn(shape) * 2).to(dtype)
    value = (torch.randn(shape) * 2).to(dtype)
    out = poisoned(shape, dtype, rng)
    tensors = [client.tensor(view_of(grad, rng)), client.tensor(view_of(value, rng)), client.tensor(out)]
    client.run("aclnn" + name, tensors[0], client.scalar(alpha), client.scalar(scale),
               client.scalar(input_scale), ctypes.c_bool(is_result), tensors[1], tensors[2])

    def reference(g, v):
        return torch.ops.aten.elu_backward(g, alpha, scale, input_scale, is_result, v)

    expected = reference(grad.double(), value.double())
    # PyTorch's Elu has no float16 on a CPU.
    peer = None if dtype == torch.float16 else reference(grad, value)
    magnitude = grad.abs().double() * (value.abs().double() + alpha * scale + scale) * 256
    compare(worst, tensors[2].read(), expected, dtype, magnitude,
            f"elu {shape} {dtype} alpha={alpha} result={is_result}", peer)

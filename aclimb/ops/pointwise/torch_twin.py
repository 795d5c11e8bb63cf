"""The pointwise operators of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import elementwise, filled, matrices

aten = torch.ops.aten


def variants(case):
    a, b, c, out = matrices(case)
    if case.function in ("s_where", "masked_fill"):
        return masked(case.function, a, b, out)
    if case.function == "addcmul":
        return elementwise(lambda x, y, z, into: aten.addcmul.out(x, y, z, value=1.0, out=into), (a, b, c), out)
    calls = {
        "elu": lambda: aten.elu.out(a, 1.0, 1.0, 1.0, out=out),
        "gelu_v2": lambda: aten.gelu.out(a, approximate="none", out=out),
        "leaky_relu": lambda: aten.leaky_relu.out(a, 0.0, out=out),
        "softplus": lambda: aten.softplus.out(a, 1.0, 20.0, out=out),
        "clamp": lambda: aten.clamp.out(a, 0.0, 1.0, out=out),
        "silu_backward": lambda: aten.silu_backward.grad_input(a, b, grad_input=out),
        "gelu_backward": lambda: aten.gelu_backward.grad_input(a, b, approximate="tanh", grad_input=out),
        "threshold_backward": lambda: aten.threshold_backward.grad_input(a, b, 0.0, grad_input=out),
        "addcdiv": lambda: aten.addcdiv.out(a, b, c, value=1.0, out=out),
        "lerp": lambda: aten.lerp.Tensor_out(a, b, c, out=out),
    }
    return {"out=": calls[case.function]}


def masked(function, a, b, out):
    mask, one = filled(out.shape, torch.bool, lambda n: torch.rand(n) < 0.5), torch.tensor(1.0)

    # Torch 1.13 branches at each element, which a random mask makes slow.
    def select_bits(x, y, into):
        bits = mask.to(torch.int32).neg_()
        torch.bitwise_xor(y, bits.bitwise_and_(torch.bitwise_xor(x, y)), out=into)

    a_bits, b_bits, one_bits, out_bits = (each.view(torch.int32) for each in (a, b, one, out))
    return {"s_where": {"out=": lambda: torch.where(mask, a, b, out=out),
                        "bits": lambda: select_bits(a_bits, b_bits, out_bits)},
            "masked_fill": {"masked_fill_": lambda: out.masked_fill_(mask, 1.0),
                            "where, out=": lambda: torch.where(mask, one, out, out=out),
                            "bits": lambda: select_bits(one_bits, out_bits, out_bits)}}[function]

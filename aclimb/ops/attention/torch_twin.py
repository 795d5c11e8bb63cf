"""Attention of the benchmark in PyTorch, for bench/torch_twin.py.

PyTorch 1.13 has no fused kernel for CPUs: its _scaled_dot_product_attention is bmm, softmax and bmm. Backward is the
four products and the gradient of softmax, of the weights that a forward call would have saved.
"""

import math

import torch
from bench_torch_twin import filled


def variants(case):
    group, scale = case.heads // case.key_heads, 1 / math.sqrt(case.width)

    def rows(heads, count):
        if case.layout == "BSH":
            return filled((case.batches, count, heads, case.width), case.type).transpose(1, 2)
        return filled((case.batches, heads, count, case.width), case.type)

    def of_groups(x):
        """Queries of a group stand beside each other."""
        return x.reshape(case.batches, case.key_heads, group * case.queries, case.width)
    q, k, v = rows(case.heads, case.queries), rows(case.key_heads, case.keys), rows(case.key_heads, case.keys)
    if case.mode == "backward":
        dy, saved = rows(case.heads, case.queries), torch.softmax(scale * q @ k.mT, -1)

        def backward():
            dv = saved.mT @ dy
            ds = torch._softmax_backward_data(dy @ v.mT, saved, -1, case.type)
            return (ds @ k).mul_(scale), (ds.mT @ q).mul_(scale), dv
        return {"products and softmax's gradient": backward}
    mask = None
    if case.mode == "causal":
        mask = torch.full((case.queries, case.keys), -math.inf, dtype=case.type).triu(1)

    def products():
        scores = of_groups(q * scale) @ k.mT
        if mask is not None:
            scores += mask
        return torch.softmax(scores, -1) @ v
    ways = {"products and softmax": products}
    if group == 1:
        attention = torch.nn.functional._scaled_dot_product_attention
        ways["_scaled_dot_product_attention"] = lambda: attention(q, k, v, mask)
    return ways

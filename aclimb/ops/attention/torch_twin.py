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
        ways, aten = {"products and softmax's gradient": backward}, torch.ops.aten
        if hasattr(aten, "_scaled_dot_product_flash_attention_for_cpu_backward"):
            out, sums = aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
            gradients = aten._scaled_dot_product_flash_attention_for_cpu_backward
            ways["flash attention's gradient"] = lambda: gradients(dy, q, k, v, out, sums, 0.0, False)
        return ways
    mask, functional = None, torch.nn.functional
    if case.mode == "causal":
        mask = torch.full((case.queries, case.keys), -math.inf, dtype=case.type).triu(1)

    def products():
        scores = of_groups(q * scale) @ k.mT
        if mask is not None:
            scores += mask
        return (torch.softmax(scores, -1) @ v).view(q.shape)
    ways = {"products and softmax": products}
    if hasattr(functional, "scaled_dot_product_attention"):
        # Queries of a group as those of one head.
        ways["scaled_dot_product_attention"] = lambda: functional.scaled_dot_product_attention(
            q if group == 1 else of_groups(q), k, v, is_causal=mask is not None).view(q.shape)
    elif group == 1:
        ways["_scaled_dot_product_attention"] = lambda: functional._scaled_dot_product_attention(q, k, v, mask)[0]
    if mask is not None:
        ways["products and softmax, blocks"] = lambda: causal(q * scale, k, v, mask)
    return ways


def causal(q, k, v, mask, block=128):
    """Blocks of queries, each with the keys that are not behind all of them."""
    out = torch.empty_like(q)
    for begin in range(0, q.shape[2], block):
        end = min(begin + block, q.shape[2])
        scores = q[:, :, begin:end] @ k[:, :, :end].mT
        scores += mask[begin:end, :end]
        out[:, :, begin:end] = torch.softmax(scores, -1) @ v[:, :, :end]
    return out

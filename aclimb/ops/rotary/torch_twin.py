"""Rotary embeddings of the benchmark in PyTorch, for bench/torch_twin.py.

PyTorch has no such function: a model writes x * cos + turned(x) * sin, or a product for each half into its place.
"""

import torch
from bench_torch_twin import filled


def parts(x, pairs):
    """What turns each other: neighbours, or halves."""
    return (x[..., ::2], x[..., 1::2]) if pairs else x.chunk(2, -1)


def variants(case):
    shape, pairs = (case.batches, case.length, case.heads, case.width), case.function == "pairs"
    xs = [filled(shape, case.type) for _ in range(2 if case.function == "apply" else 1)]
    cos = filled((case.batches, case.length, 1, case.width), case.type, torch.ones)
    sin = torch.zeros_like(cos)
    outs = [torch.empty_like(x) for x in xs]

    def whole(x, out):
        a, b = parts(x, pairs)
        turned = torch.stack((-b, a), -1).flatten(-2) if pairs else torch.cat((-b, a), -1)
        return torch.mul(x, cos, out=out).addcmul_(turned, sin)

    def by_parts(x, out):
        (a, b), (sin_a, sin_b), (to_a, to_b) = (parts(of, pairs) for of in (x, sin, out))
        torch.mul(x, cos, out=out)
        to_a.addcmul_(b, sin_a, value=-1)
        to_b.addcmul_(a, sin_b)
    def by_complex(x, out):
        c, s = (of[..., ::2].float().contiguous() for of in (cos, sin))
        number = [torch.view_as_complex(of.view(*of.shape[:-1], -1, 2)) for of in (x, out)]
        return torch.mul(number[0], torch.complex(c, s), out=number[1])

    def blocks(x, out, count=max(1, (1 << 16) // (case.heads * case.width))):
        for batch in range(case.batches):
            for begin in range(0, case.length, count):
                place = (slice(batch, batch + 1), slice(begin, begin + count))
                (a, b), (sin_a, sin_b), (to_a, to_b) = (parts(of[place], pairs) for of in (x, sin, out))
                torch.mul(x[place], cos[place], out=out[place])
                to_a.addcmul_(b, sin_a, value=-1)
                to_b.addcmul_(a, sin_b)
        return out
    every = [("mul, neg, cat, addcmul", whole), ("mul, addcmul, addcmul", by_parts), ("blocks", blocks)]
    if pairs and case.type == torch.float32:
        every.append(("product of complex numbers", by_complex))
    return {name: lambda way=way: [way(x, out) for x, out in zip(xs, outs)] for name, way in every}

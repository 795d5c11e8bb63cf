"""One random problem of a function, by Aclimb and by the definition of attention; tests/crosscheck runs many."""

import torch

from problem import FLOATS, Result, call, elements

# What modes 2 to 4 want as a mask, and nothing reads.
PATTERN = torch.ones(2048, 2048, dtype=torch.bool).triu(1)
LOWEST = torch.finfo(torch.float32).min
FUNCTIONS = ["FlashAttentionScore", "FlashAttentionScoreGrad", "FlashAttentionVarLenScore",
             "FlashAttentionUnpaddingScoreGrad", "FusedInferAttentionScore", "FusedInferAttentionScoreV2",
             "FusedInferAttentionScoreV3", "PromptFlashAttentionV3", "IncreFlashAttentionV4"]
LAYOUTS = {
    "BSH": lambda x: x.transpose(1, 2).flatten(2), "SBH": lambda x: x.permute(2, 0, 1, 3).flatten(2),
    "BNSD": lambda x: x, "BSND": lambda x: x.transpose(1, 2), "TND": lambda x: x[0].transpose(0, 1),
}


class Attention:
    """softmax(scale * q @ k^T + bias) @ v in float64, of tensors [B, N, S, D], and its gradients. terms are the sums of
    the sizes of what is added, by which errors are judged.
    """

    def __init__(self, q, k, v, bias, off, factor, scale):
        self.group, self.scale, self.factor, self.q = q.shape[1] // k.shape[1], scale, factor, q
        self.k, self.v = k.repeat_interleave(self.group, 1), v.repeat_interleave(self.group, 1)
        scores = (scale * q @ self.k.mT + bias).masked_fill(off, -float("inf"))
        self.sizes = (abs(scale) * q.abs() @ self.k.abs().mT + bias.abs()).amax(-1, keepdim=True) * 256
        self.top = scores.amax(-1, keepdim=True)
        powers = (scores - self.top).exp().nan_to_num(0)
        self.sum = powers.sum(-1, keepdim=True)
        self.share = (powers / self.sum).nan_to_num(0)
        self.out, self.terms = self.share * factor @ self.v, self.share * factor @ self.v.abs() * 256

    def statistics(self):
        return self.top.clamp_min(LOWEST).expand(-1, -1, -1, 8), self.sum.expand(-1, -1, -1, 8)

    def gradients(self, dy, dtype):
        """Of q, k, v and bias, each with its terms, by the forward result as dtype has it."""
        kept, sizes = self.share * self.factor, dy.abs() @ self.v.abs().mT * self.factor
        inner = (dy * self.out.to(dtype).double()).sum(-1, keepdim=True)
        ds = self.share * (dy @ self.v.mT * self.factor - inner)
        terms = self.share * (sizes + (dy.abs() * self.terms / 256).sum(-1, keepdim=True)) * 256
        of_heads = lambda x: x.view(x.shape[0], -1, self.group, *x.shape[2:]).sum(2)  # noqa: E731
        return [(self.scale * ds @ self.k, abs(self.scale) * terms @ self.k.abs()),
                (of_heads(self.scale * ds.mT @ self.q), of_heads(abs(self.scale) * terms.mT @ self.q.abs())),
                (of_heads(kept.mT @ dy), of_heads(kept.mT @ dy.abs()) * 256), (ds, terms)]


def outside(mode, masked, near, queries, keys, counts):
    """Where a query, of a number of them, takes no key by sparseMode."""
    query, key = torch.arange(queries)[:, None], torch.arange(keys)
    place = query + (counts[1] - counts[0] if mode in (3, 4) else 0)
    off = (query >= counts[0]) | (key >= counts[1])
    if mode in (2, 3):
        off |= key > place
    elif mode == 4 or (mode == 0 and masked):
        off |= (key < place - near[0]) | (key > place + near[1])
    return off


class Problem:
    """What is drawn for any of the functions: a batch, or sequences one after the other, each a batch of one."""

    def __init__(self, rng, dtype, layout, training, one_query):
        self.rng, self.dtype, self.layout, self.training = rng, dtype, layout, training
        self.pre, self.next = rng.randint(-2, 20), rng.randint(2, 20)
        self.mode, sequences = 0 if one_query else rng.randrange(5), layout == "TND"
        group, key_heads, width, of_value = rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 70), rng.randint(1, 70)
        self.heads, self.key_heads, self.scale = group * key_heads, key_heads, rng.choice([0.125, 0.37])
        longest = rng.choice([9, 40, 200])
        size = lambda: (1 if one_query else rng.randint(1, longest), rng.randint(1, longest))  # noqa: E731
        self.extents = [(1, *size()) for _ in range(rng.randint(1, 4))] if sequences else [(rng.randint(1, 3), *size())]
        most = [max(extent[d] for extent in self.extents) for d in range(3)]
        some = lambda extent: rng.choice([extent, 1])  # noqa: E731
        # Of heads where it is of batches.
        masks = [[some(most[0]), *most[1:]], [most[0], some(self.heads), *most[1:]], [1, 1, *most[1:]]]
        masks.append([most[0], most[2]] if one_query else most[1:])
        masked = self.mode > 0 or rng.random() < 0.5
        mask = (torch.rand(most[1:] if sequences else rng.choice(masks)) < 0.3) if masked and self.mode < 2 else None
        bias = torch.zeros([])
        self.bias = None
        if not sequences and rng.random() < 0.5:
            shapes = [[some(most[0]), self.heads, *most[1:]], [most[0], self.heads, 1, most[2]]]
            self.bias = elements(rng.choice(shapes if training else shapes[:1]), dtype)
            # In training the bias is scaled too.
            bias = self.bias.double() * (self.scale if training else 1)
        self.share = rng.choice([1.0, 0.75]) if training else 1.0
        self.counts = [None if training or rng.random() < 0.5 else
                       [rng.randint(0, most[d + 1]) for _ in range(most[0])] for d in range(2)]
        if one_query:
            self.counts[0] = None
        counts = [of or [most[d + 1]] * most[0] for d, of in enumerate(self.counts)]
        drawn, bits = lambda *shape: elements(shape, dtype), []  # noqa: E731
        self.tensors, self.parts = [], []
        for batch, queries, keys in self.extents:
            qkv = [drawn(batch, self.heads, queries, width), drawn(batch, key_heads, keys, width),
                   drawn(batch, key_heads, keys, of_value)]
            here = counts if not sequences else [[queries], [keys]]
            off = torch.stack([outside(self.mode, masked and not one_query, (self.pre, self.next), queries, keys, pair)
                               for pair in zip(*here)])[:, None]
            if mask is not None:
                wide = mask[:, None] if one_query and mask.dim() == 2 else mask
                off = off | (wide[:, None] if wide.dim() == 3 else wide)[..., :queries, :keys]
            kept = torch.rand(batch, self.heads, queries, keys) < self.share
            bits.append(kept.flatten())
            self.tensors.append(qkv)
            doubles = [of.double() for of in qkv]
            self.parts.append(Attention(*doubles, bias, off, kept.double() / self.share, self.scale))
        bits = torch.cat([*bits, torch.zeros(-sum(map(len, bits)) % 8, dtype=torch.bool)]).view(-1, 8)
        self.kept = (bits * 2 ** torch.arange(8)).sum(1).byte() if self.share < 1 else None
        of_type = torch.bool if rng.random() < 0.5 else torch.uint8
        self.mask = PATTERN if self.mode >= 2 else mask if mask is None else mask.to(of_type)

    def laid(self, parts, layout=None):
        return torch.cat([LAYOUTS[layout or self.layout](part) for part in parts])

    def result(self, pairs, dtype=None, layout=None):
        values, terms = zip(*pairs)
        return Result(self.laid(values, layout), dtype or self.dtype, self.laid(terms, layout))

    def inputs(self):
        return [self.laid(of) for of in zip(*self.tensors)]

    def behind(self):
        ends = [[sum(of[d] for of in self.extents[:i + 1]) for i in range(len(self.extents))] for d in (1, 2)]
        return [None, *(ends if self.layout == "TND" else []), self.scale, self.share, self.pre, self.next, self.heads,
                self.layout.encode(), self.rng.randrange(3), self.mode]


def trained(problem, name):
    """The arguments of a function for training."""
    of_rows = "TND" if problem.layout == "TND" else "BNSD"
    statistics = list(zip(*(part.statistics() for part in problem.parts)))
    if "Grad" not in name:
        kept = elements([3], torch.float32)
        sizes = [part.sizes.expand(-1, -1, -1, 8) for part in problem.parts]
        return [*problem.inputs(), problem.bias, problem.kept, None, problem.mask, *problem.behind(),
                problem.result(zip(statistics[0], sizes), torch.float32, of_rows),
                problem.result(zip(statistics[1], [of * 256 for of in statistics[1]]), torch.float32, of_rows),
                Result(kept, exact=True, before=kept), problem.result((part.out, part.terms) for part in problem.parts)]
    dys = [elements(list(part.out.shape), problem.dtype) for part in problem.parts]
    gradients = list(zip(*(part.gradients(dy.double(), problem.dtype) for part, dy in zip(problem.parts, dys))))
    of_bias = None
    if problem.bias is not None and problem.rng.random() < 0.7:
        # Summed over the rows or batches that share it.
        values, terms = ((of * problem.scale).sum_to_size(problem.bias.shape) for of in gradients[3][0])
        of_bias = Result(values, problem.dtype, terms)
    forward = problem.laid([part.out for part in problem.parts]).to(problem.dtype)
    return [*problem.inputs(), problem.laid(dys), problem.bias, problem.kept, None, problem.mask,
            *(problem.laid(of, of_rows).float() for of in statistics), None, forward, *problem.behind(),
            *(problem.result(of) for of in gradients[:3]), of_bias]


def inferred(problem, name, layout):
    """The arguments of a function for inference."""
    rng, (q, k, v), [part] = problem.rng, problem.inputs(), problem.parts
    out = problem.result([(part.out, part.terms)], layout="BSND" if layout == "BNSD_BSND" else None)
    key_heads = rng.choice([0, problem.key_heads]) if problem.key_heads == problem.heads else problem.key_heads
    shared, near, layout = [q, k, v, problem.bias, problem.mask], [problem.pre, problem.next], layout.encode()
    inner = rng.randrange(4)
    if name.startswith("Prompt"):
        return [*shared, *problem.counts, *[None] * 5, problem.heads, problem.scale, *near, layout, key_heads,
                problem.mode, inner, out]
    shared[1:3] = [k], [v]
    if name.startswith("Incre"):
        return [*shared, problem.counts[1], *[None] * 9, problem.heads, problem.scale, layout, key_heads, 0, inner, out]
    wanted = rng.random() < 0.5
    log_sum = torch.where(part.sum > 0, part.top + part.sum.log(), torch.full_like(part.sum, float("inf")))
    more = name[-2:] in ("V2", "V3")
    absent = {"V2": 17, "V3": 20}.get(name[-2:], 10)
    return [*shared, *problem.counts, *[None] * absent, problem.heads, problem.scale, *near, layout, key_heads,
            problem.mode, inner, 0, 0, wanted, *([0, 0] if more else []), out,
            Result(log_sum, torch.float32, part.sizes + 256) if wanted else None]


def check(client, rng, worst, name):
    training, one = name.startswith("Flash"), name.startswith("Incre")
    dtype = rng.choice(FLOATS if training else FLOATS[1:])
    layouts = ["BSH", "BNSD", "BSND", *(["SBH"] if training else [] if one else ["BNSD_BSND"])]
    layout = "TND" if "VarLen" in name or "Unpadding" in name else rng.choice(layouts)
    problem = Problem(rng, dtype, "BNSD" if layout == "BNSD_BSND" else layout, training, one)
    arguments = trained(problem, name) if training else inferred(problem, name, layout)
    arguments = [(lambda of=of: client.tensor(of)) if of is PATTERN else of for of in arguments]
    call(client, rng, worst, name, *arguments,
         about=f"{layout} {problem.extents} mode {problem.mode} near {problem.pre} {problem.next} "
               f"share {problem.share} counts {problem.counts}")

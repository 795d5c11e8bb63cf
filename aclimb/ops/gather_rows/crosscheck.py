"""One random problem of an operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch
import torch.nn.functional as functional

from comparison import compare, poisoned, view_of

FUNCTIONS = ["IndexSelect", "GatherV2", "IndexCopy", "InplaceIndexCopy", "Embedding"]


def check(client, rng, worst, name):
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    shape = [rng.randint(1, 9) for _ in range(rng.randint(1, 4))]
    dim = rng.randrange(len(shape))
    copies = name.endswith("IndexCopy")
    if name == "Embedding":
        shape, dim = [rng.randint(1, 30), rng.randint(1, 70)], 0
    many = name in ("GatherV2", "Embedding")
    looked_up = [rng.randint(1, 7) for _ in range(rng.randint(1, 3) if many else 1)]
    if copies:
        looked_up = [rng.randint(1, shape[dim])]
    self = torch.randn(shape).to(dtype)
    index = torch.randint(0, shape[dim], looked_up)
    if copies:
        index = torch.randperm(shape[dim])[:looked_up[0]]
    index_type = rng.choice([torch.int64, torch.int32])
    given = client.tensor(view_of(index.to(index_type), rng))
    number = ctypes.c_int64(dim - len(shape) if rng.random() < 0.5 else dim)
    out_shape = shape[:dim] + looked_up + shape[dim + 1:]
    if copies:
        source = torch.randn(out_shape).to(dtype)
        expected = self.clone().index_copy_(dim, index, source)
        out = client.tensor(view_of(self, rng))
        passed = [out, number, given, client.tensor(view_of(source, rng))]
        if name == "IndexCopy":
            out = client.tensor(poisoned(shape, dtype, rng))
            passed.append(out)
        client.run("aclnn" + name, *passed)
    else:
        out = client.tensor(poisoned(out_shape, dtype, rng))
        table = client.tensor(view_of(self, rng))
        if name == "Embedding":
            expected = functional.embedding(index, self)
            client.run("aclnnEmbedding", table, given, out)
        else:
            expected = self.index_select(dim, index.reshape(-1)).reshape(out_shape)
            client.run("aclnn" + name, table, number, given, out)
    compare(worst, out.read(), expected, dtype, torch.zeros(()).expand(expected.shape),
            f"{name} {shape} dim={dim} index={looked_up} {dtype}")

"""One random problem of the operator, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from comparison import compare, poisoned, view_of

FUNCTIONS = ["EmbeddingDenseBackward"]


def check(client, rng, worst, name):
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    index_dtype = rng.choice([torch.int64, torch.int32, torch.int16, torch.uint8])
    rows, width, count = rng.randint(1, 60), rng.randint(1, 70), rng.randint(1, 200)
    padding = rng.choice([-1, rng.randrange(rows)])
    by_frequency = rng.random() < 0.5
    grad = torch.randn(count, width).to(dtype)
    indices = torch.randint(0, rows, [count]).to(index_dtype)
    out = poisoned([rows, width], dtype, rng)
    tensors = [client.tensor(view_of(grad, rng)), client.tensor(view_of(indices, rng)),
               client.tensor(out)]
    client.run("aclnn" + name, tensors[0], tensors[1], ctypes.c_uint64(rows),
               ctypes.c_uint64(padding & (2**64 - 1)), ctypes.c_bool(by_frequency), tensors[2])

    def reference(values):
        return torch.ops.aten.embedding_dense_backward(values, indices.long(), rows, padding,
                                                       by_frequency)

    compare(worst, tensors[2].read(), reference(grad.double()), dtype,
            reference(grad.double().abs()) * 256,
            f"embedding {rows}x{width} n={count} {dtype} padding={padding}", reference(grad))

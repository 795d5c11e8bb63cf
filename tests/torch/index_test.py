"""An index out of range is an error at the next synchronise, which names it."""

from steps import expect, main, python, refusal

import torch
import torch_npu  # noqa: F401

# A failed task ends a context that torch_npu made: each mistake gets a process of its own, which
# does without torch_npu's end, since that warns of the context.
MISTAKE = """
import os, torch, torch_npu, torch.nn.functional as F
x = torch.arange(12.0).view(3, 4).npu()
ones = torch.ones(2, 4).npu()
wrong = torch.tensor([1, 3]).npu()
torch.npu.synchronize()
{step}
try:
    torch.npu.synchronize()
except RuntimeError as error:
    print(error, flush=True)
os._exit(0)
"""

MISTAKES = {
    "F.embedding(torch.tensor([2, 3, -1]).npu(), x)":
        ("aclnnEmbedding", "indices[1] is 3, and 1 more is wrong; expected 0 to 2 (dimension 0 of "
         "weight has 3 elements)"),
    "x.gather(1, torch.tensor([[0, 4]]).npu())": ("aclnnGather", "index[0, 1] is 4", "0 to 3"),
    "x.index_select(0, wrong)": ("index[1] is 3", "0 to 2"),
    "x[wrong]": ("aclnnIndex", "indices[0][1] is 3", "-3 to 2"),
    "x[:, torch.tensor([[0], [-5]]).npu()]": ("aclnnIndex", "indices[1][1, 0] is -5", "-4 to 3"),
    "x.index_add_(0, wrong, ones)": ("aclnnIndexAdd", "index[1] is 3", "0 to 2"),
    "x.scatter_add_(0, wrong.view(2, 1), ones)": ("aclnnScatterAdd", "index[1, 0] is 3", "0 to 2"),
    "x.index_put_((wrong,), ones, accumulate=True)": ("aclnnIndexPutImpl", "[1] is 3", "-3 to 2"),
    "F.cross_entropy(x, torch.tensor([1, 4, -100]).npu())":
        ("NLLLoss", "target[1] is 4; expected 0 to 3", "ignoreIndex is -100"),
}


def mistakes():
    for step, parts in MISTAKES.items():
        text = python(MISTAKE.format(step=step))
        for part in ("507015", "rule: runtime/stream/task-failed") + parts:
            expect(part in text, f"{step}: {part} is not in:\n{text}")


def the_context_stops():
    """As on an NPU: the first synchronise says why, and all that follow fail too."""
    table = torch.nn.Embedding(10, 4).npu()
    table(torch.tensor([10]).npu())
    expect("indices[0] is 10" in refusal(torch.npu.synchronize), "the reason")
    expect("ACL_STOP_ON_FAILURE" in refusal(torch.npu.synchronize), "the stop")


def right_ones():
    x = torch.arange(12.0).view(3, 4).npu()
    expect(x[torch.tensor([-3, 2]).npu()].tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]], "from the end")
    loss = torch.nn.functional.cross_entropy(torch.zeros(2, 4).npu(), torch.tensor([-100, 3]).npu())
    expect(abs(loss.item() - 1.3862944) < 1e-6, loss)


if __name__ == "__main__":
    main(right_ones, mistakes, the_context_stops)

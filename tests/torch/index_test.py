"""An index out of range is an error at the next synchronise, which names it; the process goes on."""

import torch
import torch_npu  # noqa: F401

from steps import expect, main, refusal


def fails(step, *parts):
    """Queues `step`; what the synchronise says has each part."""
    def run():
        step()
        torch.npu.synchronize()
    text = refusal(run)
    for part in ("507015", "rule: runtime/stream/task-failed") + parts:
        expect(part in text, f"{part} is not in:\n{text}")
    torch.npu.synchronize()  # told once
    expect(torch.arange(4).npu().sum().item() == 6, "work behind the error")


def reading():
    table = torch.nn.Embedding(10, 4).npu()
    fails(lambda: table(torch.tensor([3, 10, -1]).npu()), "aclnnEmbedding", "indices[1] is 10, and 1 "
          "more are wrong; expected 0 to 9 (dimension 0 has 10 elements)")
    x = torch.arange(12.0).view(3, 4).npu()
    fails(lambda: x.gather(1, torch.tensor([[0, 4]]).npu()), "aclnnGather", "index[0, 1] is 4")
    fails(lambda: x.index_select(0, torch.tensor([3]).npu()), "index[0] is 3")
    fails(lambda: x[torch.tensor([0, 5]).npu()], "aclnnIndex", "[1] is 5")
    fails(lambda: x[:, torch.tensor([[0], [-5]]).npu()], "aclnnIndex", "[1, 0] is -5")


def writing():
    x = torch.zeros(3, 4).npu()
    ones = torch.ones(2, 4).npu()
    wrong = torch.tensor([1, 3]).npu()
    fails(lambda: x.index_add_(0, wrong, ones), "aclnnIndexAdd", "index[1] is 3", "0 to 2")
    fails(lambda: x.scatter_add_(0, wrong.view(2, 1), ones), "aclnnScatterAdd", "index[1, 0] is 3")
    fails(lambda: x.index_put_((wrong,), ones, accumulate=True), "aclnnIndexPutImpl", "[1] is 3")
    # The right ones were applied each time, and nothing else.
    expect(x.tolist() == [[0, 0, 0, 0], [3, 2, 2, 2], [0, 0, 0, 0]], x.tolist())


def classes():
    logits = torch.zeros(3, 4).npu().requires_grad_()
    target = torch.tensor([1, 4, -100]).npu()
    fails(lambda: torch.nn.functional.cross_entropy(logits, target), "NLLLoss",
          "target[1] is 4; expected 0 to 3", "ignoreIndex is -100")


def right_ones():
    x = torch.arange(12.0).view(3, 4).npu()
    expect(x[torch.tensor([-3, 2]).npu()].tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]], "from the end")
    loss = torch.nn.functional.cross_entropy(torch.zeros(2, 4).npu(), torch.tensor([-100, 3]).npu())
    expect(abs(loss.item() - 1.3862944) < 1e-6, loss)


if __name__ == "__main__":
    main(reading, writing, classes, right_ones)

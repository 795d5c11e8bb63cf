"""The checker on PyTorch: silent on right programs, and it finds a missing synchronise."""

import os
import subprocess
import sys

from steps import expect, main

RIGHT = """
import torch, torch_npu
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)).npu()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
stream = torch.npu.Stream()
for _ in range(3):
    host = torch.randn(32, 8).pin_memory()
    with torch.npu.stream(stream):
        batch = host.to("npu", non_blocking=True)
    torch.npu.current_stream().wait_stream(stream)
    loss = torch.nn.functional.cross_entropy(model(batch), torch.arange(32).npu() % 4)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
"""

UNORDERED = """
import torch, torch_npu
stream = torch.npu.Stream()
values = torch.zeros(1 << 20, device="npu")
torch.npu.synchronize()
with torch.npu.stream(stream):
    sums = values + 1
{wait}
values.fill_(2)
torch.npu.synchronize()
print(sums.sum().item())
"""

INDEX = """
import torch, torch_npu
table = torch.nn.Embedding(10, 4).npu()
print(table(torch.tensor([3, 10]).npu()).sum().item())
"""


def checked(program):
    return subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True,
                          text=True, timeout=600, env=dict(os.environ, ACLIMB_CHECK="1"))


def right_programs():
    for program in (RIGHT, UNORDERED.format(wait="torch.npu.current_stream().wait_stream(stream)")):
        result = checked(program)
        expect(result.returncode == 0 and not result.stderr,
               f"ended with {result.returncode}\n{result.stdout}{result.stderr}")


def wrong_programs():
    for program, rule in ((UNORDERED.format(wait=""), "check/race/streams"),
                          (INDEX, "check/data/index-range")):
        result = checked(program)
        expect(result.returncode == 86 and f"rule: {rule}\n" in result.stderr,
               f"{rule}: ended with {result.returncode}\n{result.stdout}{result.stderr}")


if __name__ == "__main__":
    main(right_programs, wrong_programs)

"""Trace, report and torch_npu's profiler show a step of training."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from steps import expect, main

STEPS = """
import torch, torch_npu
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3, padding=1), torch.nn.ReLU(),
                            torch.nn.Flatten(), torch.nn.Linear(256, 10)).npu()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    images, labels = torch.randn(32, 1, 8, 8).npu(), (torch.arange(32) % 10).npu()
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
"""

# What the step computes, and the shape of one argument.
WORK = {"aclnnConvolution": [32, 1, 8, 8], "aclnnConvolutionBackward": [32, 4, 8, 8],
        "aclnnRelu": [32, 4, 8, 8], "aclnnAddmm": [32, 256],
        "aclnnThresholdBackward": [32, 4, 8, 8], "aclnnLogSoftmax": [32, 10],
        "aclnnMm": [32, 10]}


def tool(*arguments):
    command = os.path.join(os.environ["ASCEND_TOOLKIT_HOME"], "bin", "aclimb")
    result = subprocess.run([command, *arguments], capture_output=True, text=True, timeout=600)
    expect(result.returncode == 0 and not result.stderr,
           f"ended with {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def trace_and_report():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        tool("run", "--trace", path, "--", sys.executable, "-W", "error", "-c",
             STEPS + "print([step() for _ in range(3)])")
        with open(path, encoding="utf-8") as file:
            work = [event for event in json.load(file) if event.get("cat") == "work"]
        for name, shape in WORK.items():
            runs = [event for event in work if event["name"] == name]
            expect(len(runs) >= 3, f"{name} ran {len(runs)} times in three steps")
            expect(all(event["dur"] > 0 and event["args"]["code"] == 0 for event in runs), runs)
            arguments = [value["tensor"] for event in runs
                         for value in event["args"]["arguments"].values()
                         if isinstance(value, dict) and "tensor" in value]
            expect(any(one["shape"] == shape and one["dtype"] == "FLOAT" for one in arguments),
                   f"{name} without {shape}: {arguments}")
        operators = {row["name"]: row for row in json.loads(tool("report", path, "--json"))["operators"]}
        for name in WORK:
            expect(operators[name]["count"] >= 3 and operators[name]["total_us"] > 0, operators[name])
        page = os.path.join(folder, "report.html")
        tool("report", path, "-o", page)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for name, shape in WORK.items():
            expect(name in text and f"FLOAT {shape}" in text, f"the page lacks {name} or {shape}")


def profiled(activities):
    """What the profiler leaves of a step, and stderr; stdout has its messages."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [sys.executable, "-c", STEPS + f"""
import torch_npu.profiler as profiler
with profiler.profile(activities=[{activities}],
                      on_trace_ready=profiler.tensorboard_trace_handler({folder!r})) as running:
    step()
    running.step()
print("the loss is", step())
"""], capture_output=True, text=True, timeout=600)
        expect(result.returncode == 0 and "the loss is" in result.stdout,
               f"ended with {result.returncode}\n{result.stdout}{result.stderr}")
        found = glob.glob(os.path.join(folder, "*/ASCEND_PROFILER_OUTPUT/trace_view.json"))
        text = ""
        if found:
            with open(found[0], encoding="utf-8") as file:
                text = file.read()
        return text, result.stderr


def profile_of_the_host():
    text, _ = profiled("profiler.ProfilerActivity.CPU")
    names = set(re.findall(r'"name": "(aten::[a-z0-9_]+)"', text))
    expect({"aten::conv2d", "aten::linear", "aten::relu"} <= names, sorted(names))


def profile_of_the_device():
    _, stderr = profiled("profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.NPU")
    expect("aclprofInit" in stderr and "aclimb run --trace" in stderr, stderr)


if __name__ == "__main__":
    main(trace_and_report, profile_of_the_host, profile_of_the_device)

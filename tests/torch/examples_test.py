"""The examples in examples/pytorch learn on npu what they learn on cpu, step by step."""

import json
import math
import os
import subprocess
import sys
import tempfile

from steps import expect, main

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/pytorch")
THREADS = (1, 2)
ratios = {threads: [] for threads in THREADS}


# PyTorch then computes convolutions in another order.
WITHOUT_ONEDNN = """
import os, runpy, sys, torch
torch.backends.mkldnn.enabled = False
del sys.argv[0]
sys.path[0] = os.path.dirname(sys.argv[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def record(script, device, threads, folder, with_onednn=True):
    path = os.path.join(folder, f"{device}-{threads}-{with_onednn}.json")
    result = subprocess.run(
        [sys.executable, "-B", *([] if with_onednn else ["-c", WITHOUT_ONEDNN]),
         os.path.join(FOLDER, script), "--device", device,
         "--threads", str(threads), "--record", path],
        env=dict(os.environ, ACLIMB_THREADS=str(threads)), capture_output=True, text=True,
        timeout=900)
    expect(result.returncode == 0, f"{script} on {device}:\n{result.stdout}{result.stderr}")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def difference(npu, cpu):
    """Of the losses, relative to the larger of the loss and a tenth of the first one."""
    expect(len(cpu["losses"]) == len(npu["losses"]), "another number of steps")
    worst = 0
    for a, b in zip(npu["losses"], cpu["losses"]):
        expect(math.isfinite(a) and math.isfinite(b), f"losses of {a} and {b}")
        worst = max(worst, abs(a - b) / max(abs(b), cpu["losses"][0] / 10))
    return worst


def compare(script, tolerance, reaches=None):
    """The losses on npu are those of the CPU with as many threads, within `tolerance`, and those on npu hardly
    depend on the threads.

    Where the last bits decide which of two elements is the larger, as in the pooling of cnn.py,
    the CPU's own losses with one thread, with two and without oneDNN are further apart than that: by so much any
    losses are uncertain, and may differ by it in addition.
    """
    with tempfile.TemporaryDirectory() as folder:
        cpu, npu = ({threads: record(script, device, threads, folder) for threads in THREADS}
                    for device in ("cpu", "npu"))
        without_onednn = record(script, "cpu", 1, folder, with_onednn=False)
    uncertain = max(difference(each, cpu[1]) for each in (cpu[2], without_onednn))
    of_npu = difference(npu[2], npu[1])
    off = {threads: difference(npu[threads], cpu[threads]) for threads in THREADS}
    print(f"  {script}: losses differ by {off[1]:.1e} with one thread, {off[2]:.1e} with two (apart on cpu: "
          f"{uncertain:.1e}, on npu: {of_npu:.1e})", flush=True)
    for threads in THREADS:
        steps = [1e3 * device[threads]["step_seconds"] for device in (npu, cpu)]
        ratios[threads].append(steps[1] / steps[0])
        print(f"    {threads} threads: a step takes {steps[0]:.2f} ms on npu, {steps[1]:.2f} ms on "
              f"cpu: {ratios[threads][-1]:.2f}", flush=True)
    for threads in THREADS:
        expect(off[threads] <= tolerance + uncertain, f"losses with {threads} threads differ by {off[threads]:.1e}")
    expect(of_npu <= tolerance, f"losses on npu with one thread and with two differ by {of_npu:.1e}")
    for name, value in (reaches or {}).items():
        least = min(result[name] for result in npu.values())
        expect(least >= value, f"{name} is {least:.3f}")


def mlp():
    compare("mlp.py", 1e-3, {"accuracy": 0.93})


def cnn():
    compare("cnn.py", 1e-3, {"accuracy": 0.95})


def detector():
    compare("detector.py", 1e-3, {"accuracy": 0.75, "box_error_gone": 0.3})


def gpt():
    compare("gpt.py", 1e-3)


def mixed_precision():
    compare("amp.py", 2e-2, {"float16_accuracy": 0.85, "bfloat16_accuracy": 0.85})


def data_loader_and_checkpoints():
    compare("loader.py", 1e-3, {"accuracy": 0.9})


def speed():
    for threads in THREADS:
        mean = math.exp(sum(map(math.log, ratios[threads])) / len(ratios[threads]))
        print(f"  cpu's time over npu's, {threads} threads, geometric mean of "
              f"{len(ratios[threads])}: {mean:.2f}")


if __name__ == "__main__":
    main(mlp, cnn, detector, gpt, mixed_precision, data_loader_and_checkpoints, speed)

"""The examples in examples/pytorch learn on npu what they learn on cpu, step by step."""

import json
import math
import os
import subprocess
import sys
import tempfile

from steps import expect, main

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/pytorch")
THREADS = "2"
ratios = []


def record(script, device, folder):
    path = os.path.join(folder, device + ".json")
    result = subprocess.run(
        [sys.executable, "-B", os.path.join(FOLDER, script), "--device", device,
         "--threads", THREADS, "--record", path],
        env=dict(os.environ, ACLIMB_THREADS=THREADS), capture_output=True, text=True, timeout=900)
    expect(result.returncode == 0, f"{script} on {device}:\n{result.stdout}{result.stderr}")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def compare(script, tolerance, reaches=None):
    """Losses within `tolerance`, relative to the larger of the loss and a tenth of the first one."""
    with tempfile.TemporaryDirectory() as folder:
        cpu, npu = (record(script, device, folder) for device in ("cpu", "npu"))
    expect(len(cpu["losses"]) == len(npu["losses"]), "another number of steps")
    worst = 0
    for a, b in zip(npu["losses"], cpu["losses"]):
        expect(math.isfinite(a) and math.isfinite(b), f"losses of {a} and {b}")
        worst = max(worst, abs(a - b) / max(abs(b), cpu["losses"][0] / 10))
    ratio = cpu["step_seconds"] / npu["step_seconds"]
    ratios.append(ratio)
    print(f"  {script}: losses differ by {worst:.1e} at most; a step takes "
          f"{1e3 * npu['step_seconds']:.2f} ms on npu, {1e3 * cpu['step_seconds']:.2f} ms on cpu: "
          f"{ratio:.2f}", flush=True)
    expect(worst <= tolerance, f"losses differ by {worst:.1e}")
    for name, value in (reaches or {}).items():
        expect(npu[name] >= value, f"{name} is {npu[name]:.3f}")


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
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"  cpu's time over npu's, geometric mean of {len(ratios)}: {mean:.2f}")


if __name__ == "__main__":
    main(mlp, cnn, detector, gpt, mixed_precision, data_loader_and_checkpoints, speed)

#!/usr/bin/env python3
"""PyTorch's own samples (OpInfo) on npu against cpu: results and gradients, a table at the end.

    tests/torch/opinfo.py [--samples N] [--record FILE] [<operator>...]

Each operator of PyTorch's list runs with each of the dtypes below. A sample passes if npu refuses
what cpu refuses, or gives cpu's result and gradients within the tolerances. An operator whose
samples all ask for something that Aclimb does not have is "not there"; one that torch_npu computes
on the CPU, or refuses itself, does not count either.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import warnings

# Results are compared relative to the larger of 1 and the value: (float32, float16, bfloat16).
DTYPES = ("float32", "float16", "bfloat16", "int64")
TOLERANCE = {"float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2, "int64": 0}

# Their results are random, or are memory as it was found.
RANDOM = {
    "bernoulli", "cauchy", "empty", "empty_like", "empty_permuted", "empty_strided", "exponential",
    "geometric", "log_normal", "multinomial", "new_empty", "new_empty_strided", "normal",
    "nn.functional.alpha_dropout", "nn.functional.dropout", "nn.functional.dropout2d",
    "nn.functional.dropout3d", "nn.functional.feature_alpha_dropout", "nn.functional.rrelu",
    "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d", "rand_like",
    "randint", "randint_like", "randn", "randn_like", "resize_", "resize_as_", "uniform",
    "svd_lowrank", "pca_lowrank", "torch.ops.aten._safe_softmax.default",
}

MISSING = ("not in libopapi.so", "is not among the operator types", "not implemented for",
           "Could not run", "not support", "is not implemented", "NotImplemented")


def worker(names, samples):
    """Runs the operators `names`; a line of JSON for each operator and dtype."""
    import torch
    import torch_npu  # noqa: F401
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.utils._pytree import tree_flatten, tree_map

    fallback = []

    def note(message, category, filename, lineno, file=None, line=None):
        text = str(message)
        if "fall back to run on the CPU" in text or "fallback" in text.lower():
            fallback.append(text)

    warnings.showwarning = note
    warnings.simplefilter("always")

    def moved(value, device):
        def move(leaf):
            if isinstance(leaf, torch.Tensor):
                copy = leaf.detach().to(device)
                return copy.requires_grad_(leaf.requires_grad)
            return leaf
        return tree_map(move, value)

    def tensors(value):
        return [leaf for leaf in tree_flatten(value)[0] if isinstance(leaf, torch.Tensor)]

    def run(op, sample, device):
        given, args, kwargs = (moved(part, device)
                               for part in (sample.input, sample.args, sample.kwargs))
        if "device" in kwargs:
            kwargs["device"] = device
        results = tensors(op(given, *args, **kwargs))
        leaves = [leaf for leaf in tensors([given, args, kwargs]) if leaf.requires_grad]
        roots = [result for result in results if result.requires_grad]
        gradients = []
        if leaves and roots:
            ones = [torch.linspace(0.5, 1.5, root.numel()).view(root.shape).to(root.dtype)
                    .to(device) for root in roots]
            gradients = torch.autograd.grad(roots, leaves, ones, allow_unused=True)
        if device != "cpu":
            torch.npu.synchronize()
        return ([result.detach().cpu() for result in results],
                [None if gradient is None else gradient.cpu() for gradient in gradients])

    def difference(got, expected, tolerance):
        if (got is None) != (expected is None):
            return "a gradient that only one of them has"
        if got is None:
            return None
        if got.shape != expected.shape:
            return f"shape {list(got.shape)} in place of {list(expected.shape)}"
        if got.dtype != expected.dtype:
            return f"{got.dtype} in place of {expected.dtype}"
        if not got.is_floating_point():
            return None if torch.equal(got, expected) else "integers differ"
        a, b = got.double(), expected.double()
        same = (a == b) | (a.isnan() & b.isnan())
        near = (a - b).abs() <= tolerance * b.abs().clamp(min=1)
        if bool((same | near).all()):
            return None
        wrong = int((~(same | near)).sum())
        at = int((~(same | near)).flatten().nonzero()[0])
        return f"{wrong} of {a.numel()} differ: {a.flatten()[at]:.6g}, not {b.flatten()[at]:.6g}"

    def outcome(op, sample, dtype):
        try:
            expected = run(op, sample, "cpu")
        except Exception:  # noqa: BLE001 (cpu refuses it)
            return "cpu refuses", ""
        fallback.clear()
        try:
            got = run(op, sample, "npu")
        except Exception as error:  # noqa: BLE001
            text = str(error)
            if any(part in text for part in MISSING):
                return "not there", text
            return "failed", text
        if fallback:
            return "on the CPU", fallback[0]
        if len(got[0]) != len(expected[0]) or len(got[1]) != len(expected[1]):
            return "failed", "another number of results"
        for kind, pairs in zip(("result", "gradient"), zip(got, expected)):
            for a, b in zip(*pairs):
                text = difference(a, b, TOLERANCE[dtype])
                if text:
                    return "failed", f"{kind}: {text}"
        return "passed", ""

    for name in names:
        for op in (op for op in op_db if op.name == name):
            for dtype in DTYPES:
                kind = getattr(torch, dtype)
                if kind not in op.dtypes:
                    continue
                torch.manual_seed(0)
                counts, texts = collections.Counter(), {}
                try:
                    wants = op.supports_autograd and dtype != "int64"
                    drawn = list(op.sample_inputs("cpu", kind, requires_grad=wants))
                except Exception:  # noqa: BLE001 (needs what is not installed)
                    continue
                step = max(1, len(drawn) // samples)
                for sample in drawn[::step][:samples]:
                    result, text = outcome(op, sample, dtype)
                    counts[result] += 1
                    texts.setdefault(result, text.replace("\n", " ")[:600])
                    texts.setdefault(result + " with", repr(sample)[:400])
                print("RESULT " + json.dumps({
                    "operator": op.name + ("." + op.variant_test_name
                                           if op.variant_test_name else ""),
                    "dtype": dtype, "counts": counts, "texts": texts}), flush=True)
        print("DONE " + name, flush=True)


def drive(names, samples):
    """The results of all operators; one that ends its process is noted, and the rest goes on."""
    results = []
    left = list(names)
    while left:
        process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--worker", "--samples", str(samples)]
            + left, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in process.stdout:
            if line.startswith("RESULT "):
                results.append(json.loads(line[7:]))
            elif line.startswith("DONE "):
                left.remove(line[5:].strip())
        process.wait()
        if left:
            results.append({"operator": left[0], "dtype": "-", "counts": {"failed": 1},
                            "texts": {"failed": f"ended its process: {process.returncode}"}})
            del left[0]
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=8, help="of each operator and dtype (8)")
    parser.add_argument("--record", help="write all results as JSON")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("operators", nargs="*")
    args = parser.parse_args()
    if args.worker:
        return worker(args.operators, args.samples)
    from torch.testing._internal.common_methods_invocations import op_db

    names = sorted({op.name for op in op_db} - RANDOM)
    if args.operators:
        names = [name for name in names if name in args.operators]
    results = drive(names, args.samples)
    total = collections.Counter()
    operators = collections.defaultdict(collections.Counter)
    for result in results:
        total.update(result["counts"])
        operators[result["operator"]].update(result["counts"])
    if args.record:
        with open(args.record, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    for result in results:
        if result["counts"].get("failed"):
            print(f"{result['operator']} {result['dtype']}: {result['counts']['failed']} failed: "
                  f"{result['texts']['failed'][:300]}")
    there = {name for name, counts in operators.items() if counts["passed"] + counts["failed"]}
    counted = total["passed"] + total["failed"]
    print(f"operators: {len(there)} there, {len(operators) - len(there)} not")
    print("samples: " + ", ".join(f"{count} {kind}" for kind, count in total.most_common()))
    print(f"passed: {100 * total['passed'] / max(1, counted):.2f} % of {counted}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

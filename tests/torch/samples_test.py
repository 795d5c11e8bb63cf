#!/usr/bin/env python3
"""PyTorch's own samples (OpInfo) on npu against cpu: results and gradients, a table at the end.

    tests/torch/samples_test.py [--samples N] [--record FILE] [--page FILE] [<operator>...]

Each operator of PyTorch's list runs with each of the dtypes below. A sample passes if npu gives
cpu's result and gradients within the tolerances; of float16 and bfloat16, the result that cpu gives
in float32 is right as well. Not counted: samples that cpu refuses; "not there", which ask for an
operator that Aclimb does not have, or that torch_npu does not; "refused", a dtype that the
operator's documents exclude; "on the CPU", right, but torch_npu computes a part there; "explained",
the list below.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import textwrap
import threading
import warnings

DTYPES = ("float32", "float16", "bfloat16", "int64")
# Of results, relative to the larger of 1 and the value.
TOLERANCE = {"float64": 1e-12, "float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}

# Percent of the samples that count; what fails is listed.
LEAST = 98

# How long one operator may take with one dtype.
SECONDS = 300

# Their results are random, are memory as it was found, or depend on memory beside the tensor, which
# a copy to the device does not take along.
LEFT_OUT = {
    "as_strided", "as_strided_copy", "as_strided_scatter",
    "bernoulli", "cauchy", "empty", "empty_like", "empty_permuted", "empty_strided", "exponential",
    "geometric", "log_normal", "multinomial", "new_empty", "new_empty_strided", "normal",
    "nn.functional.alpha_dropout", "nn.functional.dropout", "nn.functional.dropout2d",
    "nn.functional.dropout3d", "nn.functional.feature_alpha_dropout", "nn.functional.rrelu",
    "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d", "rand_like",
    "randint", "randint_like", "randn", "randn_like", "resize_", "resize_as_", "uniform",
    "svd_lowrank", "pca_lowrank", "to_sparse", "torch.ops.aten._safe_softmax.default",
}

# Differences that are torch_npu's own, whatever library it runs on, or that the samples bring along,
# by operator, or by operator and dtype.
EXPLAINED = {
    "__rmatmul__": "torch_npu's gradient of a matrix by a batch does not sum over the batch",
    "addmv": "aclnnAddmv is documented for vectors, and for a result of the type of its factors",
    "arange int64": "PyTorch cuts fractions off before it counts, torch_npu hands them on",
    "argsort": "equal elements may come in any order",
    "double": "torch_npu converts float64 to float32",
    "float_power": "torch_npu converts float64 to float32",
    "fmod bfloat16": "where the quotient overflows, the vectors of the CPU give NaN, its scalars -0",
    "kthvalue": "equal elements may come in any order",
    "matmul": "torch_npu's gradient of a matrix by a batch does not sum over the batch",
    "max.reduction_with_dim": "aclnnMaxDim is documented for ranks 1 to 8",
    "min.reduction_with_dim": "aclnnMinDim is documented for ranks 1 to 8",
    "msort": "equal elements may come in any order",
    "native_dropout_backward": "torch_npu's mask holds bits",
    "native_layer_norm": "a line of one element: the gradient is the rounding of 0 times 316",
    "nn.functional.adaptive_max_pool3d": "torch_npu's indices are int32",
    "nn.functional.binary_cross_entropy_with_logits": "torch_npu has no gradient of the target",
    "nn.functional.ctc_loss": "the CPU adds in float32; float64 gives npu's gradient more nearly",
    "nn.functional.gelu": "aclnnGelu is the form with tanh, which torch_npu calls for both",
    "nn.functional.interpolate.nearest": "torch_npu does not pass a scale that is given",
    "nn.functional.kl_div": "torch_npu has no gradient of the target",
    "nn.functional.layer_norm": "a line of one element: the gradient is the rounding of 0 times 316",
    "nn.functional.max_pool1d": "torch_npu's indices are the mask of the NPU",
    "nn.functional.max_pool2d": "torch_npu's indices are the mask of the NPU",
    "nn.functional.max_pool3d": "torch_npu's indices are int32",
    "nn.functional.multi_head_attention_forward": "its dropout is random",
    "nn.functional.upsample_nearest": "torch_npu does not pass a scale that is given",
    "ones_like int64": "torch_npu forgets the dtype where a device is given",
    "remainder bfloat16": "as fmod",
    "roll": "aclnnRoll is documented with a shift for each dimension",
    "sort": "equal elements may come in any order",
    "std": "torch_npu takes whole corrections alone",
    "std_mean": "torch_npu takes whole corrections alone",
    "stft": "the samples want a gradient that PyTorch does not have",
    "tensor_split": "the samples need a tensor on the CPU",
    "to": "the samples name a device",
    "topk": "equal elements may come in any order",
    "triangular_solve": "aclnnTriangularSolve is documented to give the triangle back, not the matrix",
    "var": "torch_npu takes whole corrections alone",
    "var_mean": "torch_npu takes whole corrections alone",
}

MISSING = ("not in libopapi.so", "is not among the operator types", "not implemented for",
           "Could not run", "not support", "only support", "is not implemented", "NotImplemented",
           "H and W must be divisible", "non-empty spatial dimensions")


def full_name(op):
    return op.name + ("." + op.variant_test_name if op.variant_test_name else "")


def worker(names, samples):
    """Runs the operators `names`; a line of JSON for each operator and dtype."""
    import torch
    import torch_npu  # noqa: F401
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.utils._pytree import tree_flatten, tree_map

    warnings.simplefilter("ignore")

    def moved(value, device, wide):
        def move(leaf):
            if isinstance(leaf, torch.Tensor):
                copy = leaf.detach().to(device)
                if wide and leaf.dtype in (torch.float16, torch.bfloat16):
                    copy = copy.float()
                return copy.requires_grad_(leaf.requires_grad)
            return leaf
        return tree_map(move, value)

    def tensors(value):
        return [leaf for leaf in tree_flatten(value)[0] if isinstance(leaf, torch.Tensor)]

    def run(op, sample, device, wide=False):
        given, args, kwargs = (moved(part, device, wide)
                               for part in (sample.input, sample.args, sample.kwargs))
        if "device" in kwargs:
            kwargs["device"] = device
        results = tensors(op(given, *args, **kwargs))
        leaves = [leaf for leaf in tensors([given, args, kwargs]) if leaf.requires_grad]
        roots = [result for result in results if result.requires_grad]
        gradients = []
        if leaves and roots:
            # Small fractions, which are exact in every dtype.
            above = [(torch.arange(root.numel()) % 7 - 2.5).div(4).view(root.shape).to(root.dtype)
                     .to(device) for root in roots]
            gradients = torch.autograd.grad(roots, leaves, above, allow_unused=True)
        if device != "cpu":
            torch.npu.synchronize()
        return ([result.detach().cpu() for result in results],
                [None if gradient is None else gradient.cpu() for gradient in gradients])

    def difference(got, expected, dtype):
        if (got is None) != (expected is None):
            return "a gradient that only one of them has"
        if got is None:
            return None
        if got.shape != expected.shape:
            return f"shape {list(got.shape)} in place of {list(expected.shape)}"
        if got.dtype != expected.dtype:
            return f"{got.dtype} in place of {expected.dtype}"
        if got.is_complex():
            got, expected = (torch.view_as_real(part.resolve_conj().cfloat())
                             for part in (got, expected))
        if not got.is_floating_point():
            return None if torch.equal(got, expected) else "integers differ"
        # What is computed from float16 is no more exact in another type.
        tolerance = max(TOLERANCE[str(got.dtype).split(".")[-1]], TOLERANCE.get(dtype, 0))
        a, b = got.double(), expected.double()
        same = (a == b) | (a.isnan() & b.isnan())
        near = b.isfinite() & ((a - b).abs() <= tolerance * b.abs().clamp(min=1))
        if bool((same | near).all()):
            return None
        wrong = int((~(same | near)).sum())
        at = int((~(same | near)).flatten().nonzero()[0])
        return f"{wrong} of {a.numel()} differ: {a.flatten()[at]:.6g}, not {b.flatten()[at]:.6g}"

    def differences(got, expected, dtype):
        if len(got[0]) != len(expected[0]) or len(got[1]) != len(expected[1]):
            return "another number of results"
        for kind, *pairs in zip(("result", "gradient"), got, expected):
            for a, b in zip(*pairs):
                text = difference(a, b, dtype)
                if text:
                    return f"{kind}: {text}"
        return None

    def outcome(op, sample, dtype):
        try:
            expected = run(op, sample, "cpu")
        except Exception:  # noqa: BLE001 (cpu refuses it)
            return "cpu refuses", ""
        try:
            with torch.autograd.profiler.profile() as profile:
                got = run(op, sample, "npu")
        except Exception as error:  # noqa: BLE001
            text = str(error)
            if any(part in text for part in MISSING):
                return "not there", text
            if "161002" in text and "/dtype/" in text:
                return "refused", text
            return "failed", text
        text = differences(got, expected, dtype)
        if text and dtype in ("float16", "bfloat16"):
            try:
                wide = run(op, sample, "cpu", wide=True)
            except Exception:  # noqa: BLE001 (asks for the narrow type by name)
                return "failed", text
            rounded = [[b if b is None or not b.is_floating_point() else b.to(a.dtype)
                        for a, b in zip(*parts) if a is not None] for parts in zip(got, wide)]
            if not differences(got, rounded, dtype):
                text = None
        if text:
            return "failed", text
        # PyTorch's own way to the CPU for what a device lacks, which torch_npu takes.
        here = any(event.name == "aten::_to_cpu" for event in profile.function_events)
        return "on the CPU" if here else "passed", ""

    def judged(op, sample, dtype):
        result, text = outcome(op, sample, dtype)
        known = EXPLAINED.get(full_name(op)) or EXPLAINED.get(f"{full_name(op)} {dtype}")
        return ("explained", known) if result == "failed" and known else (result, text)

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
                    if sample.kwargs.get("dropout_p"):
                        continue
                    result, text = judged(op, sample, dtype)
                    counts[result] += 1
                    texts.setdefault(result, text.replace("\n", " ")[:900])
                    texts.setdefault(result + " with", repr(sample)[:400])
                print("RESULT " + json.dumps({
                    "operator": full_name(op), "dtype": dtype, "counts": counts, "texts": texts}), flush=True)
        print("DONE " + name, flush=True)


def drive(names, samples):
    """The results of all operators; one that ends its process is noted, and the rest goes on."""
    results = []
    left = list(names)
    while left:
        process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--worker", "--samples", str(samples)]
            + left, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        # torch_npu is known to loop for ever where it looks for an operator that is not there.
        watch = threading.Timer(SECONDS, process.kill)
        watch.start()
        for line in process.stdout:
            watch.cancel()
            watch = threading.Timer(SECONDS, process.kill)
            watch.start()
            if line.startswith("RESULT "):
                results.append(json.loads(line[7:]))
                print(line[7:].strip()[:200], file=sys.stderr, flush=True)
            elif line.startswith("DONE "):
                left.remove(line[5:].strip())
        process.wait()
        watch.cancel()
        if left:
            results.append({"operator": left[0], "dtype": "-", "counts": {"failed": 1},
                            "texts": {"failed": f"ended its process: {process.returncode}"}})
            print(f"{left[0]} ended its process: {process.returncode}", file=sys.stderr, flush=True)
            del left[0]
    return results


def page(results, samples):
    """The operators of PyTorch's list as Markdown: whole, in part and not there."""
    operators = collections.defaultdict(dict)
    for result in results:
        counts = {kind: count for kind, count in result["counts"].items() if kind != "cpu refuses"}
        if counts:
            operators[result["operator"]][result["dtype"]] = counts
    whole, part, nothing = [], [], []
    for name in sorted(operators):
        total = collections.Counter()
        for counts in operators[name].values():
            total.update(counts)
        kinds = part if total["passed"] else nothing
        (whole if set(total) == {"passed"} else kinds).append(name)

    def listed(names):
        return textwrap.fill(", ".join(f"`{name}`" for name in names), 118, break_long_words=False,
                             break_on_hyphens=False)

    def cell(counts):
        others = [f"{count} {kind}" for kind, count in counts.items() if kind != "passed"]
        passed = f"{counts.get('passed', 0)} passed"
        return ", ".join(([passed] if "passed" in counts else []) + others)

    rows = [f"| `{name}` | "
            + " | ".join(cell(operators[name].get(dtype, {})) for dtype in DTYPES) + " |"
            for name in part]
    return "\n".join([
        "# PyTorch's operators", "",
        "Printed by `tests/torch/samples_test.py --page`; do not edit. The names are those of",
        "PyTorch's list of operators (OpInfo). Each ran on `npu` with at most "
        f"{samples} of PyTorch's samples", "of each dtype, gradients included; "
        "[pytorch.md](pytorch.md) says what differs.", "",
        "## Every sample passes", "", listed(whole), "",
        "## Some samples pass", "",
        "\"not there\" asks for an operator that Aclimb or torch_npu does not have, \"refused\" for",
        "a dtype that the operator's documents exclude; torch_npu itself computes a part \"on the",
        "CPU\"; \"explained\" differs for reasons that are torch_npu's or the sample's, which stand",
        "in `samples_test.py`.", "",
        "| operator | " + " | ".join(DTYPES) + " |", "|---" * (len(DTYPES) + 1) + "|", *rows, "",
        "## No sample passes by Aclimb's operators alone", "", listed(nothing), ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=8, help="of each operator and dtype (8)")
    parser.add_argument("--record", help="write all results as JSON")
    parser.add_argument("--page", help="write which operators are there as Markdown")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("operators", nargs="*")
    args = parser.parse_args()
    if args.worker:
        return worker(args.operators, args.samples)
    warnings.simplefilter("default")
    from torch.testing._internal.common_methods_invocations import op_db

    names = sorted({op.name for op in op_db} - LEFT_OUT)
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
    if args.page:
        with open(args.page, "w", encoding="utf-8") as file:
            file.write(page(results, args.samples))
    for result in results:
        if result["counts"].get("failed"):
            print(f"{result['operator']} {result['dtype']}: {result['counts']['failed']} failed: "
                  f"{result['texts']['failed'][:300]}")
    there = {name for name, counts in operators.items() if counts["passed"] + counts["failed"]}
    counted = total["passed"] + total["failed"]
    print(f"operators: {len(there)} there, {len(operators) - len(there)} not")
    print("samples: " + ", ".join(f"{count} {kind}" for kind, count in total.most_common()))
    print(f"passed: {100 * total['passed'] / max(1, counted):.2f} % of {counted}")
    return 0 if 100 * total["passed"] >= LEAST * counted else 1


if __name__ == "__main__":
    sys.exit(main())

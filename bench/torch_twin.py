#!/usr/bin/env python3
"""PyTorch's side of the comparison. Speaks the protocol that bench/protocol.h describes.

How an operator is written in PyTorch stands in aclimb/ops/<family>/torch_twin.py: a function
variants(case) that returns {name: function of one run}. Several names are several ways to write the
same thing; the comparison takes the fastest. What raises is left out.
"""

import ctypes
import gc
import importlib.util
import json
import os
import pathlib
import sys
import time

import torch

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BATCHES = 16
PATTERN = 1048573
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16, "int64": torch.int64,
          "bool": torch.bool}


class NoPeer(Exception):
    """PyTorch cannot do this on a CPU."""


class Case:
    """The parameters of a case as attributes: numbers where they look like numbers."""

    def __init__(self, operator, name, words):
        self.operator, self.name = operator, name
        for word in words:
            key, value = word.split("=", 1)
            setattr(self, key, number(value))
        self.type = DTYPES[self.dtype]


def number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def filled(shape, dtype, make=torch.randn):
    """A tensor of make(n) values that repeat after about a million."""
    out = torch.empty(shape, dtype=dtype)
    flat = out.view(-1)
    pattern = make(min(PATTERN, flat.numel())).to(dtype)
    for begin in range(0, flat.numel(), PATTERN):
        part = flat[begin:begin + PATTERN]
        part.copy_(pattern[:part.numel()])
    return out


def matrix(case, make=torch.randn):
    """One of case.rows and case.columns: dense, or the transposed view of a dense one."""
    if getattr(case, "layout", "dense") == "transposed":
        return filled((case.columns, case.rows), case.type, make).t()
    return filled((case.rows, case.columns), case.type, make)


def matrices(case):
    """Three inputs and the output of an elementwise problem (aclimb/elementwise/bench_problem.h)."""
    a = matrix(case)
    b = filled((case.columns,), case.type) if case.layout == "row" else matrix(case)
    c = matrix(case, lambda n: 0.5 + torch.rand(n))
    return a, b, c, filled((case.rows, case.columns), DTYPES[case.result], torch.zeros)


def elementwise(run, inputs, out, name="out="):
    """Ways of run(*inputs, out). PyTorch's loops are slow where inputs are transposed views and `out` is dense; its
    copies of a whole transposed matrix into a dense one go by blocks: so it computes as the inputs lie, and copies."""
    ways = {name: lambda: run(*inputs, out)}
    rows, columns = out.shape
    if all(x.stride() == (1, rows) for x in inputs) and min(rows, columns) > 1:
        for count in sorted({min(64, rows), rows}):
            between = torch.empty((columns, count), dtype=out.dtype).t()
            parts = [([x[begin:begin + count] for x in inputs], between[:rows - begin], out[begin:begin + count])
                     for begin in range(0, rows, count)]

            def copied(parts=parts):
                for some, between, result in parts:
                    run(*some, between)
                    result.copy_(between)
                return out
            ways[f"as inputs lie, copy_, {count} rows"] = copied
    return ways


def module_of(family):
    path = SOURCE / "aclimb" / "ops" / family / "torch_twin.py"
    if not path.exists():
        raise NoPeer(f"no {path.relative_to(SOURCE)}")
    spec = importlib.util.spec_from_file_location(family + "_twin", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Twin:
    def __init__(self):
        self.variants = {}

    def info(self):
        capability = os.environ.get("ATEN_CPU_CAPABILITY", "default")
        libraries = {"torch": torch.__version__}
        try:
            import torchvision
            libraries["torchvision"] = torchvision.__version__
        except ImportError:
            pass
        environment = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                       "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "ATEN_CPU_CAPABILITY")
        threads = {name: os.environ.get(name, "") for name in environment}
        threads["torch.get_num_threads"] = torch.get_num_threads()
        threads.update(openblas_threads())
        warm = "yes" if "trim_threshold" in os.environ.get("GLIBC_TUNABLES", "") else "no"
        return {"name": f"torch {torch.__version__} {capability}", "libraries": libraries,
                "threads": threads, "warm_heap": warm}

    def open(self, operator, name, *words):
        self.close()
        try:
            case = Case(operator, name, words)
            variants = module_of(case.family).variants(case)
        except NoPeer as reason:
            return {"none": str(reason)}
        errors, first = [], {}
        for variant, once in variants.items():
            try:
                begin = time.perf_counter_ns()
                once()
                word = variant.replace(" ", "~")
                first[word] = time.perf_counter_ns() - begin
                self.variants[word] = once
            except Exception as error:  # one way of writing it does not work; others may
                errors.append(f"{variant}: {str(error).splitlines()[0][:120]}")
        if not self.variants:
            self.close()
            return {"none": "; ".join(errors)}
        return {"variants": list(self.variants), "errors": errors, "first_ns": first}

    def run(self, count, variant):
        once, count = self.variants[variant], int(count)
        batches = min(count, BATCHES)
        result = []
        for batch in range(batches):
            runs = count * (batch + 1) // batches - count * batch // batches
            begin = time.perf_counter_ns()
            for _ in range(runs):
                once()
            result.append((time.perf_counter_ns() - begin) / runs)
        return {"ns": result}

    def close(self):
        self.variants = {}
        gc.collect()
        # The warm heap never gives memory back by itself; the next case warms it again.
        ctypes.CDLL(None).malloc_trim(0)
        return {"closed": "yes"}


def openblas_threads():
    """What OpenBLAS itself says, when torch uses it."""
    with open("/proc/self/maps") as file:
        paths = {line.split()[-1] for line in file if "blas" in line and "/" in line}
    for path in sorted(paths):
        get = getattr(ctypes.CDLL(path), "openblas_get_num_threads", None)
        if get is not None:
            return {"openblas_get_num_threads": get()}
    return {}


def main():
    # Whatever prints to stdout must not disturb the protocol.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    torch.manual_seed(0)
    twin = Twin()
    with torch.inference_mode():
        for line in sys.stdin:
            words = line.split()
            if not words:
                continue
            try:
                answer = getattr(twin, words[0])(*words[1:])
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


if __name__ == "__main__":
    # The operators' files import this one by name.
    sys.modules["bench_torch_twin"] = sys.modules["__main__"]
    main()

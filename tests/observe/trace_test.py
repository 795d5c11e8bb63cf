"""A trace is valid, complete and consistent, and never replaces a file by itself."""

import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from programs import FOLDER, OPERATORS, expect, run


SIZES = {"FLOAT": 4, "INT64": 8}


def tensor_bytes(arguments):
    """Of all tensors that a call was given; the examples' operators touch all of them."""
    total = 0
    for argument in arguments.values():
        if isinstance(argument, dict) and "tensor" in argument:
            tensor = argument["tensor"]
            total += math.prod(tensor["shape"]) * SIZES[tensor["dtype"]]
    return total


def convolution_flops(arguments):
    """A multiplication and an addition for each tap inside the input, in both gradients."""
    out, image, weight = (arguments[name]["tensor"]["shape"]
                          for name in ("gradOutput", "input", "weight"))
    stride, padding, dilation = (arguments[name] for name in ("stride", "padding", "dilation"))
    taps = 1
    for d, pad in ((0, padding[0]), (1, padding[2])):
        taps *= sum(0 <= window * stride[d] - pad + tap * dilation[d] < image[2 + d]
                    for window in range(out[2 + d]) for tap in range(weight[2 + d]))
    return 2 * 2 * taps * out[0] * out[1] * weight[1]


def check_amounts(operator, event):
    args = event["args"]
    expected = tensor_bytes(args["arguments"])
    expect(args["bytes"] == expected, operator, "moves", args["bytes"], "instead of", expected)
    flops = convolution_flops(args["arguments"]) if operator == "convolution_backward" else None
    expect(args.get("flops") == flops, operator, "computes", args.get("flops"), "instead of", flops)
    expect(event["dur"] > 0, operator, "takes no time")
    for rate, amount in (("GB/s", "bytes"), ("GFLOP/s", "flops")):
        if amount not in args:
            expect(rate not in args, operator, "has", rate, "without", amount)
        else:
            true = args[amount] / (event["dur"] * 1000)
            expect(abs(args[rate] - true) <= 0.0006, operator, rate, args[rate], "not", true)


def check_trace(operator, folder):
    path = folder / f"{operator}.json"
    program = run(operator, ACLIMB_TRACE=str(path))
    expect(program.returncode == 0 and program.stderr == "", operator, program.stderr)
    expect(program.stdout == run(operator).stdout, operator, "prints something else when traced")
    events = json.loads(path.read_text())
    calls = [event for event in events if event.get("cat") == "call"]
    names = [event["name"] for event in calls]
    function = OPERATORS[operator]
    for name in ("aclInit", "aclrtMalloc", function + "GetWorkspaceSize", function,
                 "aclrtSynchronizeStream", "aclFinalize"):
        expect(name in names, operator, "misses the call", name)
    expect(all(event["args"]["code"] == 0 for event in calls), operator, "has a failed call")

    work = [event for event in events if event.get("cat") == "work"]
    runs = [event for event in work if event["name"] == function]
    expect(runs and len(runs) == names.count(function), operator, "has", len(runs), "runs")
    for event in runs:
        first = next(iter(event["args"]["arguments"]))
        expect(first.startswith("grad"), operator, "has a first argument", first)
        check_amounts(operator, event)
    # Each piece of work was queued inside a call that began before the work did.
    queued = {event["id"]: event for event in events if event["ph"] == "s"}
    for event in work:
        expect(event["args"]["id"] in queued, operator, "runs what nobody queued")
        expect(queued[event["args"]["id"]]["ts"] <= event["ts"], operator, "runs before its call")
    memory = [event["args"]["bytes"] for event in events if event["ph"] == "C"]
    expect(max(memory) > 0 and memory[-1] == 0, operator, "ends with memory", memory[-1:])
    return events


def check_parts(folder):
    """Of a tensor of which an index chooses some, the chosen elements are what was moved."""
    path = folder / "parts.json"
    program = subprocess.run([sys.argv[3]], env={**os.environ, "ACLIMB_TRACE": str(path)},
                             capture_output=True, text=True, timeout=60)
    expect(program.returncode == 0, "the program of parts fails:", program.stderr)
    events = json.loads(path.read_text())
    moved = {event["name"]: event["args"]["bytes"] for event in events
             if event.get("cat") == "work"}
    row, index = 16 * SIZES["FLOAT"], SIZES["INT64"]
    for name, rows in (("aclnnInplaceIndexCopy", 2), ("aclnnIndexSelect", 3)):
        expected = rows * (2 * row + index)
        expect(moved[name] == expected, name, "moves", moved[name], "instead of", expected)
    # Memory of aclrtMallocPhysical is device memory as well.
    *_, before, full, after = [event["args"]["bytes"] for event in events if event["ph"] == "C"]
    expect(full == before + (6 << 20) and after == before, "device memory:", before, full, after)


def check_existing_file(folder):
    path = folder / "kept.json"
    path.write_text("precious")
    program = run("elu_backward", ACLIMB_TRACE=str(path))
    expect(program.returncode == 0, "an existing file fails the program")
    expect(path.read_text() == "precious", "an existing file was replaced")
    expect("ACLIMB_FORCE=1" in program.stderr, "no word on stderr:", program.stderr)
    run("elu_backward", ACLIMB_TRACE=str(path), ACLIMB_FORCE="1")
    expect(len(json.loads(path.read_text())) > 10, "ACLIMB_FORCE=1 does not replace")


def check_full_disk(folder):
    """What cannot be written is told once, with its reason, and the program goes on."""
    path = folder / "short.json"
    script = "import resource, os, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300));" \
             "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);" \
             "os.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", script, FOLDER / "example_elu_backward"],
                          env={**os.environ, "ACLIMB_TRACE": str(path)}, capture_output=True,
                          text=True, timeout=60)
    expect(done.returncode == 0, "the program fails with its trace", done)
    expect(done.stderr == "aclimb: the file of ACLIMB_TRACE ends early: File too large.\n", done.stderr)
    expect(path.stat().st_size == 300, "bytes:", path.stat().st_size)


def check_closed_descriptors(folder):
    """A program that closes what it did not open keeps its own files, and the trace if it can."""
    for last, whole in ((63, True), (1023, False)):
        path = folder / f"closed-{last}.json"
        own = folder / f"own-{last}"
        done = subprocess.run([sys.argv[4], own, str(last)], capture_output=True, text=True,
                              timeout=60, env={**os.environ, "ACLIMB_TRACE": str(path)})
        expect(done.returncode == 0, "the program fails with its trace", done)
        expect(own.read_text() == "own\n", "the program's file has", own.read_text())
        told = "aclimb: the file of ACLIMB_TRACE ends early: the program has closed its descriptor.\n"
        expect(done.stderr == ("" if whole else told), done.stderr)
        if whole:
            expect(json.loads(path.read_text()), path)


def fields_of(events):
    """Every field that the events have; those of the arguments as args.<name>."""
    fields = set()
    for event in events:
        fields |= event.keys() - {"args"} | {f"args.{name}" for name in event.get("args", {})}
    return fields


def without_moment(event):
    """The event without what differs from run to run."""
    event = {name: value for name, value in event.items() if name not in ("ts", "dur")}
    if event["pid"] == 1:
        event.pop("tid", None)
    if "GB/s" in event.get("args", {}):
        event["args"] = {**event["args"], "GB/s": 0}
    return event


def check_page(page, traces):
    """docs/trace.md has every field, no other, and an excerpt as the example writes it now."""
    text = page.read_text()
    table = text.split("## Fields")[1].split("\n## ")[0]
    told = set(re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE))
    found = set().union(*map(fields_of, traces.values()))
    expect(told == found, page.name, "and the traces differ in the fields", told ^ found)
    excerpt = json.loads("[" + re.search(r"```json\n(.*?)```", text, re.DOTALL)[1] + "]")
    expect(len(excerpt) > 5, "the excerpt is too short")
    # In any order: threads write side by side.
    rest = list(map(without_moment, traces["elu_backward"]))
    for event in map(without_moment, excerpt):
        expect(event in rest, "the trace misses", event)
        rest.remove(event)
    for variant in ("work", "call"):
        numbers = [event for event in excerpt if event.get("cat") == variant]
        expect(all(event["dur"] > 0 for event in numbers) and numbers, "no", variant)


with tempfile.TemporaryDirectory() as temporary:
    traces = {each: check_trace(each, pathlib.Path(temporary)) for each in OPERATORS}
    check_parts(pathlib.Path(temporary))
    check_existing_file(pathlib.Path(temporary))
    check_full_disk(pathlib.Path(temporary))
    check_closed_descriptors(pathlib.Path(temporary))
check_page(pathlib.Path(sys.argv[2], "docs", "trace.md"), traces)

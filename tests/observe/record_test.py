"""A recording is complete, readable and never replaces a file by itself.

  record_test.py <folder of the examples> <source folder> <record_program>
"""

import ast
import json
import math
import pathlib
import re
import struct
import subprocess
import os
import sys
import tempfile

from programs import OPERATORS, expect, run


PROGRAM = sys.argv[3]
CODES = {"<f4": "f", "<f2": "e", "<u2": "H", "<i8": "q"}


def program(mode, **variables):
    return subprocess.run([PROGRAM, mode], env={**os.environ, **variables},
                          capture_output=True, text=True, timeout=60)


def record(mode, folder, **variables):
    done = program(mode, ACLIMB_RECORD=str(folder), **variables)
    expect(done.returncode == 0 and done.stderr == "" and done.stdout == "", mode, done)
    return calls_of(folder)


def calls_of(folder):
    """Every call, by its number; the folders are numbered without gaps."""
    calls = []
    for number, path in enumerate(sorted(folder.iterdir()), 1):
        call = json.loads((path / "call.json").read_text())
        expect(path.name == f"{number:06}-{call['operator']}", "folder", path.name)
        expect(call["number"] == number, path.name, "has the number", call["number"])
        files = {entry["file"] for entry in call["tensors"].values()} - {None}
        expect({each.name for each in path.iterdir()} == files | {"call.json"}, path, files)
        calls.append((path, call))
    return calls


def load(path):
    """Header and elements of a .npy file."""
    data = path.read_bytes()
    expect(data[:8] == b"\x93NUMPY\x01\x00", path, "is no .npy file")
    size = struct.unpack("<H", data[8:10])[0]
    expect((10 + size) % 64 == 0, path, "is not aligned")
    header = ast.literal_eval(data[10:10 + size].decode())
    code = CODES[header["descr"]]
    (count,) = header["shape"]
    return header, list(struct.unpack(f"<{count}{code}", data[10 + size:]))


def places(tensor):
    indices = [0]
    for extent, stride in zip(tensor["shape"], tensor["strides"]):
        indices = [place + i * stride for place in indices for i in range(extent)]
    return indices


def check_tensor(path, call, name):
    entry, argument = call["tensors"][name], call["arguments"][name]["tensor"]
    header, values = load(path / entry["file"])
    expect(header["descr"] == entry["npy"] and not header["fortran_order"], name, header)
    expect(len(values) == entry["elements"] == max(places(argument)) + 1, name, len(values))
    expect(entry["bytes"] == len(values) * struct.calcsize(CODES[entry["npy"]]), name, entry)
    return [values[place] for place in places(argument)]


def check_example(operator, folder):
    usual = run(operator)
    done = run(operator, ACLIMB_RECORD=str(folder))
    expect(done.returncode == 0 and done.stderr == "", operator, done.stderr)
    expect(done.stdout == usual.stdout, operator, "prints something else when recorded")
    calls = calls_of(folder)
    expect(calls, operator, "has no calls")
    for path, call in calls:
        expect(call["operator"] == OPERATORS[operator], call["operator"])
        expect((call["phase1"], call["phase2"], call["run"], call["run_code"]) ==
               (0, 0, "ended", 0), operator, call)
        given = [name for name, value in call["arguments"].items()
                 if isinstance(value, dict) and "tensor" in value]
        expect(sorted(given) == sorted(call["tensors"]), operator, given)
        for name in given:
            values = check_tensor(path, call, name)
            expect(all(map(math.isfinite, values)), operator, name, values)
        expect("device" in call and call["device"] == 0 and call["stream"] is not None, call)
    return calls


def elu(g, v, c=0.5):
    """alpha 1, scale 0.5, inputScale 1, of the forward input."""
    return g * 0.5 if v > 0 else g * c * math.exp(v)


def check_views(folder):
    calls = record("views", folder)
    expect(len(calls) == 7, "calls:", len(calls))
    for path, call in calls[:2] + calls[3:5]:
        g, v = (check_tensor(path, call, name) for name in ("gradOutput", "selfOrResult"))
        out = check_tensor(path, call, "gradInput")
        if call["tensors"]["gradInput"]["npy"] == "<u2":
            out = [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in out]
        # The dtypes of the second call keep 8 bits.
        expect(all(abs(o - elu(*pair)) <= 0.01 for o, pair in zip(out, zip(g, v))), path.name)
    in_place = calls[3][1]
    expect(in_place["tensors"]["gradOutput"]["block"] == in_place["tensors"]["gradInput"]["block"],
           "two tensors in one memory:", in_place["tensors"])
    expect(in_place["blocks"][in_place["tensors"]["gradInput"]["block"]] == 16 + 48, in_place)
    expect(calls[0][1]["arguments"]["scale"] == {"scalar": 0.5, "dtype": "DOUBLE"}, calls[0][1])
    expect(calls[5][1]["tensors"] == {} and calls[5][1]["run"] == "ended", calls[5])
    expect([call["deterministic"] for _, call in calls] == [False] * 6 + [True], "deterministic")


def check_refused(folder):
    calls = [call for _, call in record("refused", folder)]
    expect([(call["phase1"], call["phase2"], call["run"]) for call in calls] ==
           [(161002, None, "none"), (0, 161002, "none"), (0, 161001, "none")], calls)
    expect("elu_backward/same-shape/selfOrResult" in calls[0]["message"], calls[0]["message"])
    expect(calls[0]["arguments"]["selfOrResult"]["tensor"]["shape"] == [3, 5], calls[0])
    expect("past-allocation" in calls[1]["message"] or "not-device" in calls[1]["message"],
           calls[1]["message"])
    expect(calls[1]["arguments"]["gradInput"]["tensor"]["offset"] == 1110, calls[1])
    expect(calls[2]["arguments"] is None and "executor is null" in calls[2]["message"], calls[2])
    expect(all(call["tensors"] == {} for call in calls), "tensors of refused calls")


def check_threads(folder):
    calls = record("threads", folder)
    expect(len(calls) == 100, "calls of two threads:", len(calls))
    streams = {}
    for path, call in calls:
        shape = call["arguments"]["gradOutput"]["tensor"]["shape"]
        streams.setdefault(call["stream"], set()).add(shape[0])
        g, v = (check_tensor(path, call, name) for name in ("gradOutput", "selfOrResult"))
        out = check_tensor(path, call, "gradInput")
        expect(all(abs(o - elu(*pair)) <= 1e-5 for o, pair in zip(out, zip(g, v))), path.name)
    expect(sorted(map(sorted, streams.values())) == [[2], [3]], "streams and shapes:", streams)


def check_fork(folder):
    expect(len(record("fork", folder)) == 2, "a forked child recorded")


def check_nested(folder):
    """Calls of a callback inside an operator's call end theirs, not the operator's."""
    calls = [call for _, call in record("nested", folder, ASCEND_LAUNCH_BLOCKING="1",
                                        ACLIMB_FAULT="aclnnEluBackward@run:1=507015")]
    outer, refused, inner = calls
    expect((outer["phase2"], outer["run"], outer["run_code"]) == (361001, "ended", 507015), outer)
    expect(outer["message"].startswith("aclnnEluBackward: the runtime answered 507015"), outer)
    expect("\n  rule: phase2/runtime" in outer["message"] and
           outer["message"].count("rule:") == 1, outer["message"])
    expect((refused["phase2"], refused["run"]) == (161001, "none"), refused)
    expect("executor is null" in refused["message"], refused["message"])
    expect((inner["phase2"], inner["run_code"], inner["message"]) == (0, 0, ""), inner)
    expect(inner["arguments"]["gradOutput"]["tensor"]["shape"] == [3, 4], inner["arguments"])


def check_scalars(folder):
    """Integers are exact, complex numbers pairs, and a zero keeps its sign."""
    calls = [call["arguments"] for _, call in record("scalars", folder)]
    large, start = 2**60 + 1, 2**53 + 1
    expect([(call["value"]["scalar"], call["value"]["dtype"]) for call in calls[:6]] ==
           [(large, "INT64"), (-100, "INT64"), (-2**63, "INT64"), ([1.5, -2.5], "COMPLEX64"),
            ([0.1, "-inf"], "COMPLEX128"), (0, "FLOAT")], calls[:6])
    expect(math.copysign(1, calls[5]["value"]["scalar"]) == -1, "a zero without sign", calls[5])
    expect(calls[6]["value"] == {"scalar": "nan", "dtype": "FLOAT"}, calls[6])
    expect([calls[7][name]["scalar"] for name in ("start", "end", "step")] == [start, start + 3, 1],
           calls[7])
    expect(calls[9]["pad"] == [1, 1] and calls[9]["value"]["scalar"] == [1.5, -2.5], calls[9])


def check_overwritten(folder):
    """What a run overwrites in place without reading it is an output alone, for every tool."""
    _, _, (path, call) = record("overwritten", folder)
    expect({name: entry["role"] for name, entry in call["tensors"].items()} ==
           {"mat1": "input", "mat2": "input", "selfRef": "output"}, call["tensors"])
    expect(check_tensor(path, call, "selfRef") == [3] * 9, path)
    trace = folder.with_suffix(".json")
    for variables in (dict(ACLIMB_CHECK="1,nan", ACLIMB_MUTE="check/leak"), dict(ACLIMB_TRACE=str(trace))):
        done = program("overwritten", **variables)
        expect(done.returncode == 0 and "rule:" not in done.stderr, variables, done)
    (moved,) = [event["args"]["bytes"] for event in json.loads(trace.read_text())
                if event.get("cat") == "work" and event["name"] == "aclnnInplaceAddmm"]
    expect(moved == 3 * 9 * 4, "three matrices of 36 bytes move", moved)


def check_graph(folder):
    """What a graph captured is a call of each run, with the data of that run."""
    calls = record("graph", folder)
    expect(len(calls) == 2, "runs of the graph:", calls)
    for path, call in calls:
        expect((call["operator"], call["phase1"], call["phase2"], call["run"], call["run_code"],
                call["deterministic"]) == ("aclnnInplaceFillScalar", 0, 0, "ended", 0, True), call)
        expect(check_tensor(path, call, "selfRef") == [3] * 9, path)


def check_limit(folder):
    run("convolution_backward", ACLIMB_RECORD=str(folder), ACLIMB_RECORD_LIMIT="64")
    (_, call), = calls_of(folder)
    for name, entry in call["tensors"].items():
        expect((entry["file"] is None) == (entry["bytes"] > 64), name, entry)
        expect(("left_out" in entry) == (entry["bytes"] > 64), name, entry)
    expect({entry["file"] is None for entry in call["tensors"].values()} == {True, False}, call)


def check_existing(folder):
    folder.mkdir()
    (folder / "kept").write_text("precious")
    done = run("elu_backward", ACLIMB_RECORD=str(folder))
    expect(done.returncode == 0 and "ACLIMB_FORCE=1" in done.stderr, done.stderr)
    expect(len(done.stderr.splitlines()) == 1, done.stderr)
    expect([each.name for each in folder.iterdir()] == ["kept"], "files in a folder that is taken")
    for operator in ("elu_backward", "convolution_backward"):
        done = run(operator, ACLIMB_RECORD=str(folder), ACLIMB_FORCE="1")
        expect(done.stderr == "", done.stderr)
    expect(sorted(each.name for each in folder.iterdir()) ==
           ["000001-aclnnConvolutionBackward", "kept"], list(folder.iterdir()))
    expect((folder / "kept").read_text() == "precious", "another file was removed")
    # Somebody's file keeps the folder of a call, which the next recording uses.
    notes = folder / "000001-aclnnConvolutionBackward" / "notes"
    notes.write_text("precious")
    done = run("convolution_backward", ACLIMB_RECORD=str(folder), ACLIMB_FORCE="1")
    expect(done.stderr == "", done.stderr)
    expect(json.loads((notes.parent / "call.json").read_text())["run"] == "ended", "no recording")
    expect(notes.read_text() == "precious", "another file was removed")
    (notes.parent / "folder.npy").mkdir()
    (notes.parent / "folder.npy" / "notes").write_text("precious")
    done = run("elu_backward", ACLIMB_RECORD=str(folder), ACLIMB_FORCE="1")
    expect(done.stderr == "" and (notes.parent / "folder.npy" / "notes").exists(), done.stderr)
    # What cannot be removed is told, also when something else can. Root may remove everything.
    if os.geteuid() != 0:
        locked, open_ = sorted(folder.glob("*-aclnnEluBackward"))
        locked.chmod(0o500)
        done = run("elu_backward", ACLIMB_RECORD=str(folder), ACLIMB_FORCE="1")
        locked.chmod(0o700)
        expect(done.returncode == 0 and "Permission denied" in done.stderr, done.stderr)
        expect(not open_.exists(), "what may be removed was kept")
    # An empty folder is taken; the place of the process number too.
    empty = folder.parent / "empty-%p"
    run("convolution_backward", ACLIMB_RECORD=str(empty))
    (made,) = folder.parent.glob("empty-*")
    expect(made.name[6:].isdigit() and len(calls_of(made)) == 1, made)


def check_failing_disk(folder):
    """What cannot be written is told once, and the program goes on."""
    script = "import resource, os, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300));" \
             "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);" \
             "os.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", script, PROGRAM, "views"],
                          env={**os.environ, "ACLIMB_RECORD": str(folder)},
                          capture_output=True, text=True, timeout=60)
    expect(done.returncode == 0, "the program fails with its recording", done)
    expect(len(done.stderr.splitlines()) == 1 and "ends early" in done.stderr, done.stderr)
    expect(not list(folder.rglob("*.part")), "left over:", list(folder.rglob("*.part")))


def check_page(page, calls):
    """docs/record.md has every field of call.json, and no other."""
    text = page.read_text()
    told = set(re.findall(r"^\| `([^`]+)` \|", text.split("## call.json")[1].split("\n## ")[0],
                          re.MULTILINE))
    found = set()
    for _, call in calls:
        found |= call.keys() - {"tensors"} | {"tensors.NAME"}
        for entry in call["tensors"].values():
            found |= {f"tensors.NAME.{name}" for name in entry}
    expect(told == found, page.name, "and the recordings differ in the fields", told ^ found)


with tempfile.TemporaryDirectory() as temporary:
    place = pathlib.Path(temporary)
    recorded = []
    for operator in OPERATORS:
        recorded += check_example(operator, place / operator)
    check_views(place / "views")
    check_refused(place / "refused")
    check_threads(place / "threads")
    check_fork(place / "fork")
    check_nested(place / "nested")
    check_scalars(place / "scalars")
    check_overwritten(place / "overwritten")
    check_graph(place / "graph")
    check_limit(place / "limit")
    check_existing(place / "existing")
    check_failing_disk(place / "disk")
    check_page(pathlib.Path(sys.argv[2], "docs", "record.md"), recorded + calls_of(place / "limit"))

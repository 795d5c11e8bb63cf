"""A trace is valid, complete and consistent, and never replaces a file by itself."""

import json
import pathlib
import tempfile

from programs import OPERATORS, expect, run


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
        expect(event["args"]["bytes"] > 0, operator, "touches no bytes")
    # Each piece of work was queued inside a call that began before the work did.
    queued = {event["id"]: event for event in events if event["ph"] == "s"}
    for event in work:
        expect(event["args"]["id"] in queued, operator, "runs what nobody queued")
        expect(queued[event["args"]["id"]]["ts"] <= event["ts"], operator, "runs before its call")
    memory = [event["args"]["bytes"] for event in events if event["ph"] == "C"]
    expect(max(memory) > 0 and memory[-1] == 0, operator, "ends with memory", memory[-1:])


def check_existing_file(folder):
    path = folder / "kept.json"
    path.write_text("precious")
    program = run("elu_backward", ACLIMB_TRACE=str(path))
    expect(program.returncode == 0, "an existing file fails the program")
    expect(path.read_text() == "precious", "an existing file was replaced")
    expect("ACLIMB_FORCE=1" in program.stderr, "no word on stderr:", program.stderr)
    run("elu_backward", ACLIMB_TRACE=str(path), ACLIMB_FORCE="1")
    expect(len(json.loads(path.read_text())) > 10, "ACLIMB_FORCE=1 does not replace")


with tempfile.TemporaryDirectory() as temporary:
    for each in OPERATORS:
        check_trace(each, pathlib.Path(temporary))
    check_existing_file(pathlib.Path(temporary))

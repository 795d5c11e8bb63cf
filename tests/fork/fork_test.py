"""A program that forks in many situations, plain and under each tool.

  fork_test.py <fork_program> <tool, or "plain"> [mode ...]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
TOOL = sys.argv[2]
MODES = sys.argv[3:] or subprocess.run(
    [PROGRAM], capture_output=True, text=True, check=True).stdout.split()


def variables_of(tool, folder):
    return {
        "plain": {},
        "check": {"ACLIMB_CHECK": "1"},
        "trace": {"ACLIMB_TRACE": f"{folder}/%p"},
        "record": {"ACLIMB_RECORD": f"{folder}/%p"},
        "schedule": {"ACLIMB_SCHEDULE": "random:1", "ACLIMB_SCHEDULE_OUT": f"{folder}/%p"},
    }[tool]


def run(mode, tool, folder):
    """What is wrong, and what the tool wrote for the parent."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("ACLIMB_", "ASCEND_"))}
    # Threads of the parent, and what they hold, count as leaked in a child.
    sanitizer = {name: os.environ.get(name, "") + option for name, option in (
        ("ASAN_OPTIONS", ":detect_leaks=0"), ("TSAN_OPTIONS", ":report_thread_leaks=0"))}
    program = subprocess.Popen([PROGRAM, mode], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True,
                               env={**environment, **sanitizer, **variables_of(tool, folder)})
    told = program.communicate(timeout=280)[0]
    wrong = [] if program.returncode == 0 and not told else [
        f"{mode} with {tool} ended with {program.returncode}\n{told}"]
    return wrong, pathlib.Path(folder, str(program.pid))


def operators_of_parent(mode):
    """How many operators the parent runs in a mode in which it always runs as many."""
    return {"idle": 5, "fresh": 2, "ends": 2, "nested": 2, "unused": 1, "busy": 4, "running": 1}.get(
        mode)


def check_trace(mode, path):
    """The trace is whole and the parent's alone."""
    spans = [event for event in json.loads(path.read_text())
             if event.get("cat") == "work" and event["name"].startswith("aclnn")]
    wanted = operators_of_parent(mode)
    if wanted is not None and len(spans) != wanted:
        return [f"{mode}: the trace has {len(spans)} operators; the parent ran {wanted}"]
    return []


def check_record(mode, path):
    """The recording is whole and the parent's alone."""
    calls = [json.loads(call.read_text()) for call in path.glob("*/*.json")]
    wanted = operators_of_parent(mode)
    if wanted is not None and len(calls) != wanted:
        return [f"{mode}: the recording has {len(calls)} operators; the parent ran {wanted}"]
    return []


def check_schedule(mode, path):
    """Each decision is written once."""
    lines = path.read_text().splitlines()[1:]
    work = [line.split()[1:3] for line in lines]
    if len(lines) == 0 or any(work.count(one) != 1 for one in work):
        return [f"{mode}: the decisions are not written once each"]
    return []


CHECKS = {"trace": check_trace, "record": check_record, "schedule": check_schedule}


def main(tool):
    failures = []
    for mode in MODES:
        # Under the schedule a call waits for ten seconds for work that it has begun.
        if (mode, tool) == ("running", "schedule"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            wrong, path = run(mode, tool, folder)
            if not wrong and tool in CHECKS:
                wrong = CHECKS[tool](mode, path)
            failures += wrong
    if failures or not MODES:
        sys.exit("\n".join(failures) or "no modes")


main(TOOL)

"""aclimb info.  info_test.py <tool>"""

import json
import os
import pathlib
import re
import tempfile

from tool import expect, main


def info(tool, **settings):
    return json.loads(tool.output("info", "--json", **settings))


def facts(tool):
    data = info(tool)
    root = str(pathlib.Path(tool.path).resolve().parent.parent)
    expect(data["root"] == root and data["libraries"] == f"{root}/lib64", data["root"])
    expect(tool.output("--version").startswith(f"aclimb {data['version']} "), data["version"])
    expect(f"toolkit {data['toolkit_version']}" in tool.output("--version"), "toolkit version")
    expect((data["soc"], data["devices"], data["device"]) == ("Ascend910B3", 1, "cpu"), data)
    mask = len(os.sched_getaffinity(0))
    if data.get("cores_limit", "affinity mask") == "affinity mask":
        expect(data["cores"] == mask, f"cores: {data['cores']}")
    else:  # a CPU quota
        expect(1 <= data["cores"] <= mask, f"cores: {data['cores']}")
    expect(data["threads"] == data["cores"], f"threads: {data['threads']}")
    expect(data.get("threads_limit") == data.get("cores_limit"), "what limits the team")
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    expect(0 < data["machine_memory"] <= machine, f"memory limit: {data['machine_memory']}")
    expect(0 < data["memory_free"] <= data["memory_total"] <= machine, "memory of the device")
    expect(data["vector_targets"] and all(re.fullmatch(r"\w+", t) for t in data["vector_targets"]),
           data["vector_targets"])
    expect(data["cpu"] != "" and data["problems"] == [], data["problems"])
    for name, size in data["caches"].items():
        expect(re.fullmatch(r"L\d[d]?", name) and size >= 1024, f"{name} {size}")


def environment(tool):
    data = info(tool, ACLIMB_DEVICES="3", ACLIMB_MEMORY="64M", ACLIMB_THREADS="1",
                ACLIMB_SOC="Ascend310P3")
    expect(data["devices"] == 3, data["devices"])
    expect(data["memory_total"] == 64 << 20, data["memory_total"])
    expect(data["threads"] == 1, data["threads"])
    expect(data["soc"] == "Ascend310P3" and "310P" in data["product"], data["product"])
    expect(info(tool, ASCEND_RT_VISIBLE_DEVICES="1", ACLIMB_DEVICES="2")["devices"] == 1,
           "ASCEND_RT_VISIBLE_DEVICES")


def limits(tool):
    """OpenMP's limit bounds the default and ACLIMB_THREADS, and the text says so."""
    for settings in (dict(), dict(ACLIMB_THREADS="5")):
        data = info(tool, OMP_THREAD_LIMIT="1", **settings)
        if data["cores"] > 1 or settings:
            expect((data["threads"], data["threads_limit"]) == (1, "OMP_THREAD_LIMIT=1"), data)
    data = info(tool, OMP_THREAD_LIMIT="3", ACLIMB_THREADS="2")
    expect((data["threads"], data["threads_limit"]) == (2, "ACLIMB_THREADS"), data)
    printed = tool.output("info", OMP_THREAD_LIMIT="1", ACLIMB_THREADS="5")
    expect(re.search(r"^  threads: +1: OMP_THREAD_LIMIT=1$", printed, re.MULTILINE), printed)
    expect(re.search(r"^  cores: +\d+ of \d+", printed, re.MULTILINE), printed)


def text(tool):
    printed = tool.output("info", ACLIMB_DEVICES="3")
    for line in (r"version: +\d", r"devices: +3$", r"memory: +\d+(\.\d)? [MGT]iB$", r"vectors: +\w"):
        expect(re.search(rf"^  {line}", printed, re.MULTILINE), f"no {line} in {printed}")
    expect("problem:" not in printed, printed)


def problems(tool):
    for settings in (dict(ACLIMB_DEVICES="99"), dict(ACLIMB_SOC="Ascend42"),
                     dict(ACLIMB_LOG="nothing")):
        result = tool.call("info", "--json", **settings)
        expect(result.returncode == 1, f"{settings}: status {result.returncode}")
        told = json.loads(result.stdout)["problems"]
        expect(len(told) == 1 and "expected" in told[0], f"{settings}: {told}")
        text_ = tool.call("info", **settings)
        expect(text_.returncode == 1 and "problem:" in text_.stdout, text_.stdout)


def tools_stay_off(tool):
    """What listens to programs does not listen to this one."""
    with tempfile.TemporaryDirectory() as folder:
        path, kept = pathlib.Path(folder, "trace.json"), pathlib.Path(folder, "kept.json")
        kept.write_text("precious")
        settings = dict(ACLIMB_TRACE=str(path), ACLIMB_CHECK="all", ACLIMB_FAULT="*:1+=507899",
                        ACLIMB_CHECK_OUT=str(path))
        expect(info(tool, **settings)["devices"] == 1, "the device is not found")
        info(tool, **settings, ACLIMB_FORCE="1")
        expect(os.listdir(folder) == ["kept.json"], f"made {os.listdir(folder)}")
        info(tool, ACLIMB_TRACE=str(kept), ACLIMB_FORCE="1")
        expect(kept.read_text() == "precious", "a file was replaced")
        # Without ACLIMB_FORCE a program would not be traced.
        result = tool.call("info", ACLIMB_TRACE=str(kept))
        expect(result.returncode == 1 and "ACLIMB_TRACE is" in result.stdout, result.stdout)
        expect(result.stderr == "" and kept.read_text() == "precious", result.stderr)


if __name__ == "__main__":
    main(facts, environment, limits, text, problems, tools_stay_off)

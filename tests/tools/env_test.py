"""aclimb env.  env_test.py <tool> <source folder>"""

import json
import pathlib
import re

from tool import expect, main


def table_of(source):
    """The variables as the page that is printed from the same table lists them."""
    page = pathlib.Path(source, "docs", "environment.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|$", page, re.MULTILINE)
    expect(len(rows) > 10, "docs/environment.md lists no variables")
    return rows


def text(tool, source):
    printed = tool.output("env")
    for name, values, default, meaning in table_of(source):
        block = re.search(rf"^{name}\n((?: .*\n)+)", printed, re.MULTILINE)
        expect(block, f"{name} is missing, or has a value")
        for part in (values, default, meaning):
            expect(part in block[1], f"{name}: {part!r} is missing in {block[1]!r}")


def values(tool, source):
    printed = tool.output("env", ACLIMB_DEVICES="2", ASCEND_LAUNCH_BLOCKING="1", ACLIMB_SOC="")
    expect("\nACLIMB_DEVICES = 2\n" in printed, "a value that is set is not shown")
    expect("\nASCEND_LAUNCH_BLOCKING = 1\n" in printed, "a value that is set is not shown")
    expect("ACLIMB_SOC =" not in printed, "an empty value counts as unset")
    expect("not acceptable" not in printed, "a good value is marked")


BAD = {
    "ACLIMB_SOC": "Ascend42",
    "ACLIMB_DEVICE": "tpu",
    "ACLIMB_DEVICES": "0",
    "ACLIMB_MEMORY": "1X",
    "ACLIMB_THREADS": "many",
    "ACLIMB_HOST_ACCESS": "yes",
    "ACLIMB_EXTENSIONS": "2",
    "ACLIMB_STRICT": "true",
    "ACLIMB_MISSING": "all",
    "ACLIMB_LOG": "everything",
    "ACLIMB_SCHEDULE": "backwards",
    "ACLIMB_SCHEDULE_OUT": "/no/such/folder/order",
    "ACLIMB_TRACE": "/no/such/folder/trace.json",
    "ACLIMB_RECORD": "/no/such/folder/calls",
    "ACLIMB_RECORD_LIMIT": "much",
    "ACLIMB_FAULT": "aclrtMalloc",
    "ACLIMB_FAULT_SEED": "-1",
    "ACLIMB_CHECK": "yes",
    "ACLIMB_CHECK_OUT": "/no/such/folder/findings.json",
    "ACLIMB_CHECK_EXIT": "300",
    "ACLIMB_MUTE": "check/memory/double",
    "ACLIMB_FORCE": "yes",
    "HCCL_CONNECT_TIMEOUT": "0",
    "HCCL_EXEC_TIMEOUT": "never",
    "HCCL_SOCKET_FAMILY": "AF_INET4",
    "HCCL_IF_BASE_PORT": "65505",
    "HCCL_WHITELIST_DISABLE": "2",
    "HCCL_DETERMINISTIC": "1",
    "HCCL_BUFFSIZE": "0",
    "ASCEND_LAUNCH_BLOCKING": "on",
    "ASCEND_GLOBAL_LOG_LEVEL": "9",
    "ASCEND_MODULE_LOG_LEVEL": "APP",
    "ASCEND_LOG_PRINT_TO_STDOUT": "3",
    "ASCEND_SLOG_PRINT_TO_STDOUT": "3",
}


def bad_values(tool, source):
    for bad in ({name: value} for name, value in BAD.items()):
        (name, value), = bad.items()
        result = tool.call("env", **bad)
        expect(result.returncode == 1, f"{bad}: status {result.returncode}")
        marked = re.findall(r"not acceptable: (\w+) (?:is|has) \"(.*?)\"; expected", result.stdout)
        expect(marked == [(name, value)], f"{bad}: marked {marked}")
    result = tool.call("env", **BAD)
    marked = re.findall(r"not acceptable: (\w+) (?:is|has) ", result.stdout)
    expect(sorted(marked) == sorted(BAD), f"all at once: marked {marked}")
    # A list of hosts that may join is wanted, and none is given.
    result = tool.call("env", HCCL_WHITELIST_DISABLE="0")
    expect(result.returncode == 1 and "not acceptable: HCCL_WHITELIST_FILE is \"\"" in result.stdout,
           result.stdout)


def misspelled(tool, source):
    result = tool.call("env", ACLIMB_THREDS="4", ACLIMB_QQQQQQQQ="1")
    expect(result.returncode == 0, "a variable that nothing reads harms nobody")
    expect("ACLIMB_THREDS is set, but nothing reads it; ACLIMB_THREADS is meant?" in result.stdout,
           result.stdout)
    expect("ACLIMB_QQQQQQQQ is set, but nothing reads it\n" in result.stdout, result.stdout)


def one_variable(tool, source):
    printed = tool.output("env", "ACLIMB_SOC", "ACLIMB_THREADS", ACLIMB_THREADS="3")
    names = re.findall(r"^(\w+)", printed, re.MULTILINE)
    expect(sorted(names) == ["ACLIMB_SOC", "ACLIMB_THREADS"], printed)
    expect("ACLIMB_THREADS = 3\n" in printed, printed)
    # Another one's value says nothing about these.
    expect(tool.call("env", "ACLIMB_SOC", ACLIMB_THREADS="many").returncode == 0, "another variable's")
    expect(tool.call("env", "ACLIMB_THREADS", ACLIMB_THREADS="many").returncode == 1, "not acceptable")
    result = tool.call("env", "ACLIMB_THREDS")
    expect(result.returncode == 2 and "did you mean ACLIMB_THREADS?" in result.stderr, result.stderr)


def as_json(tool, source):
    result = tool.call("env", "--json", ACLIMB_DEVICES="99", ACLIMB_LOG="plan", ACLIMB_SOK="x")
    expect(result.returncode == 1, f"status {result.returncode}")
    data = json.loads(result.stdout)
    rows = {row["name"]: row for row in data["variables"]}
    for name, values_, default, meaning in table_of(source):
        row = rows.pop(name)
        found = (row["values"], row["default"], row["meaning"])
        expect(found == (values_, default, meaning), f"{name}: {found}")
        wanted = {"ACLIMB_DEVICES": "99", "ACLIMB_LOG": "plan"}.get(name)
        expect(row["value"] == wanted, f"{name}: {row['value']}")
        expect((row["problem"] is not None) == (name == "ACLIMB_DEVICES"), f"{name}: {row}")
    expect(rows == {}, f"not in docs/environment.md: {list(rows)}")
    expect(data["unknown"] == [{"name": "ACLIMB_SOK", "meant": "ACLIMB_SOC"}], data["unknown"])


def any_bytes(tool, source):
    """A value need not be text."""
    result = tool.call("env", "--json", ACLIMB_SOC="\udcff")
    expect(result.returncode == 1 and json.loads(result.stdout), "bytes that are no text")


if __name__ == "__main__":
    main(text, values, bad_values, misspelled, one_variable, as_json, any_bytes)

"""Each wrong program is caught with its rule at its line; its corrected twin is not.

  rules_test.py <folder of the sources> <folder of the programs> <aclimb_pages>
"""

import pathlib
import re
import sys
import tempfile

from runs import HAS_LINES, Failures, findings, run, subprocess

SOURCES, PROGRAMS, PAGES = map(pathlib.Path, sys.argv[1:])
# Rules that are not part of ACLIMB_CHECK=1.
SWITCHES = {"check/memory/slack": "all", "check/event/destroyed-busy": "all",
            "check/data/not-finite": "nan"}
NOTES = {"check/memory/slack", "check/event/destroyed-busy", "check/call/unread"}
failures = Failures()


def check_wrong(name, rule, line, switch):
    program, found = findings([PROGRAMS / "check_wrong", name], ACLIMB_CHECK=switch)
    rules = [finding["rule"] for finding in found]
    failures.expect(rules == [rule], name, "is found to break", rules, program.stderr)
    if rules != [rule]:
        return
    failures.expect(found[0]["count"] == 1, name, "is told", found[0]["count"], "times")
    expected = 0 if rule in NOTES else 86
    failures.expect(program.returncode == expected, name, "ends with", program.returncode)
    for part in (f"rule: {rule}\n", "fix: ", "expected ", found[0]["what"]):
        failures.expect(part in program.stderr, name, "does not say", part, "in", program.stderr)
    frames = found[0]["involved"][0]["frames"]
    failures.expect(frames and frames[0]["function"].startswith("Mistake("), name, "blames", frames)
    if HAS_LINES and frames:
        place = pathlib.Path(frames[0]["file"]).name, frames[0]["line"]
        # The last line of the statement is marked.
        failures.expect(place[0] == name + ".cc" and line - 3 <= place[1] <= line, name, "blames",
                        place, "instead of line", line)
        failures.expect(f"{name}.cc:{place[1]})" in program.stderr, name, program.stderr)


def check_right(name, switch):
    program = run([PROGRAMS / "check_right", name], ACLIMB_CHECK=switch)
    failures.expect(program.returncode == 0 and program.stderr == "", name, "is correct but ends",
                    program.returncode, program.stderr)
    program = run([PROGRAMS / "check_right", name], ACLIMB_CHECK="all,nan")
    failures.expect(program.returncode == 0 and program.stderr == "", name, "with all ends",
                    program.returncode, program.stderr)


seen = set()
for source in sorted(SOURCES.glob("*.cc")):
    text = source.read_text()
    rule = re.match(r"// (check/\S+)\n", text)[1]
    seen.add(rule)
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "// here" in line)
    switch = SWITCHES.get(rule, "1")
    check_wrong(source.stem, rule, line, switch)
    check_right(source.stem, switch)

# Lines are found without a table of addresses too, which clang does not write.
with tempfile.TemporaryDirectory() as folder:
    for name in ("check_wrong", "check_right"):
        subprocess.run(["objcopy", "--remove-section=.debug_aranges", PROGRAMS / name,
                        pathlib.Path(folder, name)], check=True)
    program = run([pathlib.Path(folder, "check_wrong"), "double_free"])
    failures.expect(not HAS_LINES or "double_free.cc:" in program.stderr, "without aranges:",
                    program.stderr)

# No rule without a program.
page = subprocess.run([PAGES, "checker"], capture_output=True, text=True, check=True).stdout
documented = set(re.findall(r"^### `(check/\S+)`", page, re.MULTILINE))
failures.expect(documented == seen, "programs and rules differ in", documented ^ seen)
failures.end(2 * len(list(SOURCES.glob("*.cc"))))

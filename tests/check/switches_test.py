"""What the checker's environment variables do.

  switches_test.py <folder of the programs>
"""

import pathlib
import sys
import tempfile

from runs import Failures, findings, run

WRONG = pathlib.Path(sys.argv[1]) / "check_wrong"
failures = Failures()

# Off: not a word, and the program's own status.
for value in ("", "0"):
    program = run([WRONG, "double_free"], ACLIMB_CHECK=value)
    failures.expect(program.returncode == 0 and program.stderr == "", value, program.stderr)

# The status.
for status in (0, 1, 99):
    program = run([WRONG, "double_free"], ACLIMB_CHECK_EXIT=str(status))
    failures.expect(program.returncode == status, "ends with", program.returncode)
    failures.expect("check/memory/double-free" in program.stderr, program.stderr)

# Muted findings are counted, by rule and by its beginning.
for muted in ("check/memory/double-free", "check/leak,check/memory", "check"):
    program, found = findings([WRONG, "double_free"], ACLIMB_MUTE=muted)
    failures.expect(program.returncode == 0 and found == [], muted, program.returncode, found)
    failures.expect("1 muted" in program.stderr and "fix:" not in program.stderr, program.stderr)
program = run([WRONG, "double_free"], ACLIMB_MUTE="check/memory/double")
failures.expect(program.returncode == 86 and "ACLIMB_MUTE has" in program.stderr, program.stderr)

# Wrong values are told.
program = run([WRONG, "double_free"], ACLIMB_CHECK="yes")
failures.expect(program.returncode == 0 and 'ACLIMB_CHECK has "yes"' in program.stderr,
                program.stderr)
program = run([WRONG, "double_free"], ACLIMB_CHECK_EXIT="300")
failures.expect(program.returncode == 86 and "ACLIMB_CHECK_EXIT has" in program.stderr,
                program.stderr)

# One place is told once, with a count.
program, found = findings([WRONG, "leak_device_memory"])
failures.expect("3 times, 768 bytes in all" in found[0]["what"], found)

# What a library keeps is its own business.
KEEPING = WRONG.with_name("check_keeping")
program = run([KEEPING])
failures.expect(program.returncode == 0 and program.stderr == "", "keeping", program.stderr)
program, found = findings([KEEPING], ACLIMB_CHECK="all")
failures.expect(program.returncode == 86 and sorted(finding["rule"] for finding in found) ==
                ["check/call/unread", "check/leak/device-memory", "check/leak/stream"], "keeping",
                found)

# Freed memory is there again for a program that needs almost all, whatever was queued since.
program = run([WRONG.with_name("check_full")], ACLIMB_MEMORY="64M")
failures.expect(program.returncode == 0 and program.stderr == "", "full", program.stderr)

# A note about a refusal tells what was missed, and what to do about the call and about the note.
program, found = findings([WRONG, "unread"])
said = found[0]["involved"][1]["what"]
failures.expect(said == "refused with 100000 ACL_ERROR_INVALID_PARAM, and the program ended without "
                "asking why; for that call: leave the call out when there is nothing to do", said)
failures.expect("\n  fix: print aclGetRecentErrMsg() where a code is not 0; if the refusal is "
                "expected, set ACLIMB_MUTE=check/call/unread\n" in program.stderr, program.stderr)

# A collective has codes of its own, none of which right programs go on from.
program, found = findings([WRONG, "unread_collective"])
failures.expect(found[0]["involved"][1]["what"].startswith("refused with 5 HCCL_E_NOT_SUPPORT, "),
                found)

# A file that exists is kept.
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "kept.json"
    path.write_text("precious")
    program = run([WRONG, "double_free"], ACLIMB_CHECK_OUT=str(path))
    failures.expect(path.read_text() == "precious" and program.returncode == 86, program.stderr)
    program = run([WRONG, "double_free"], ACLIMB_CHECK_OUT=str(path), ACLIMB_FORCE="1")
    failures.expect("double-free" in path.read_text(), path.read_text())
failures.end(19)

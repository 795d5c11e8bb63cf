"""Tools that were asked for, and a program that never calls the runtime.

  uncalled_test.py <tool> <schedule_program>
"""

import pathlib
import tempfile

from tool import expect, main


def is_told(tool, program):
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace.json")
        for switches, effect in {
            ("--check",): "ACLIMB_CHECK: the program made no call of the runtime, so nothing was "
                          "checked.",
            ("--trace", trace): "ACLIMB_TRACE: the program made no call of the runtime, so nothing "
                                "was traced, and no file was made.",
            ("--record", folder): "ACLIMB_RECORD: the program made no call of the runtime, so "
                                  "nothing was recorded.",
            ("--fault", "aclrtMalloc:1=207001"): "ACLIMB_FAULT: the program made no call of the "
                                                 "runtime, so nothing failed.",
        }.items():
            result = tool.call("run", *switches, program, "nothing")
            expect(result.returncode == 0 and result.stdout == "", result)
            expect(result.stderr == f"aclimb: {effect}\n", f"{switches}: {result.stderr!r}")
        expect(not trace.exists(), "a trace of nothing")


def nothing_is_told_otherwise(tool, program):
    tool.output("run", program, "nothing")
    tool.output("run", "--check=0", program, "nothing")
    # What was forked off is not the program.
    tool.output("run", "--check", program, "chain")
    tool.output("run", "--check", program, "forks")


if __name__ == "__main__":
    main(is_told, nothing_is_told_otherwise)

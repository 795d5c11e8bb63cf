"""Runs programs under the checker."""

import ctypes.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HAS_LINES = ctypes.util.find_library("dw") is not None or any(
    (pathlib.Path(folder) / "libdw.so.1").exists()
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"))


def run(command, **variables):
    """The finished program; ACLIMB_CHECK is 1 unless given."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("ACLIMB_")}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=120, env={**env, "ACLIMB_CHECK": "1", **variables})


def findings(command, **variables):
    """The finished program, and what the checker wrote about it."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "findings.json"
        program = run(command, ACLIMB_CHECK_OUT=str(path), **variables)
        try:
            return program, json.loads(path.read_text())
        except ValueError as error:
            raise RuntimeError(f"{command} ended with {program.returncode} and left no findings:\n"
                               + program.stderr) from error


class Failures:
    """Collects what does not hold; exits with it."""

    def __init__(self):
        self.texts = []

    def expect(self, holds, *what):
        if not holds:
            self.texts.append(" ".join(map(str, what)))

    def end(self, count):
        for text in self.texts:
            print("FAILED:", text)
        print(f"{count} programs, {len(self.texts)} failures")
        sys.exit(1 if self.texts else 0)

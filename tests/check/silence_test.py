"""The checker has nothing to say about the examples and the documents' samples.

  silence_test.py <examples> <source folder> <build folder> <work folder> <compiler> <example>...
"""

import os
import pathlib
import sys

from runs import Failures, run, subprocess

EXAMPLES, SOURCE, BUILD, WORK, COMPILER = map(pathlib.Path, sys.argv[1:6])
NAMES = sys.argv[6:]
sys.path.insert(0, str(SOURCE / "tests/install"))
from toolkit import programs  # noqa: E402: found by the line above

failures = Failures()


def check(program, *switches):
    plain = run([program], ACLIMB_CHECK="0", LD_LIBRARY_PATH=str(BUILD / "lib64"))
    for switch in switches:
        checked = run([program], ACLIMB_CHECK=switch, LD_LIBRARY_PATH=str(BUILD / "lib64"))
        failures.expect(checked.returncode == 0 and checked.stderr == "", program.name, "with", switch,
                        "ends", checked.returncode, checked.stderr)
        failures.expect(checked.stdout == plain.stdout, program.name, "prints something else")
    return len(switches)


def sample(name, source):
    """The program of a document, against the libraries of the build."""
    program = WORK / name
    includes = [BUILD / "include"]
    command = [COMPILER, source, "-o", program, *(f"-I{folder}" for folder in includes),
               f"-L{BUILD}/lib64", "-lascendcl", "-lnnopbase", "-lopapi"]
    subprocess.run([str(word) for word in command], check=True,
                   env={**os.environ, "LD_LIBRARY_PATH": str(BUILD / "lib64")})
    return program


count = 0
for name in NAMES:
    # "all" checks what "1" does, and tells every finding.
    count += check(EXAMPLES / f"example_{name}", "1,nan", "all")
for name, (source, is_sample) in programs(SOURCE, WORK, NAMES).items():
    if is_sample:
        count += check(sample(name, source), "1")
failures.end(count)

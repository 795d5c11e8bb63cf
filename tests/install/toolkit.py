"""What the installation tests share: the staged toolkit, running commands, the sample programs."""

import json
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


def run(command, env=None, cwd=None):
    """Runs a command; its stdout. Fails with all output when the command fails."""
    result = subprocess.run(
        [str(word) for word in command], env=env, cwd=cwd, capture_output=True, text=True
    )
    if result.returncode != 0:
        raise Failure(
            f"{' '.join(map(str, command))}\nended with {result.returncode}\n"
            f"{result.stdout}{result.stderr}"
        )
    expect(not result.stderr, f"{command[0]} wrote to stderr:\n{result.stderr}")
    return result.stdout


def main(tests):
    """Runs tests[sys.argv[1]](*sys.argv[2:])."""
    try:
        tests[sys.argv[1]](*sys.argv[2:])
    except Failure as failure:
        print(failure)
        return 1
    return 0


class Toolkit:
    """The staged installation: <prefix>/cann and <prefix>/ascend-toolkit/latest."""

    def __init__(self, prefix):
        self.prefix = pathlib.Path(prefix)
        self.root = self.prefix / "cann"
        self.older_root = self.prefix / "ascend-toolkit" / "latest"
        self.lib = self.root / "lib64"

    def sourced(self, script=None):
        """Environment of a shell that started empty and sourced set_env.sh."""
        script = script or self.root / "set_env.sh"
        text = run(
            ["sh", "-euc", '. "$1" && exec env -0', "sh", script],
            env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"},
        )
        return dict(entry.split("=", 1) for entry in text.split("\0") if entry)


def camel_case(operator):
    return "".join(word.capitalize() for word in operator.split("_"))


def programs(source, folder, examples):
    """Sources of programs: for an example that is named after an operator its document's sample where
    it is to be had, extracted into `folder`, else our example. Name -> (path, is it a sample)."""
    shared = pathlib.Path(source).resolve().parent / "shared"
    extract = shared / "tools" / "extract_sample.py"
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for operator in examples:
        document = shared / "seeds" / f"aclnn{camel_case(operator)}.txt"
        if extract.exists() and document.exists():
            path = folder / f"{operator}.cpp"
            path.write_text(run([sys.executable, extract, document]))
            found[operator] = (path, True)
        else:
            found[operator] = (pathlib.Path(source) / "examples" / f"{operator}.cpp", False)
    return found


PRINTED = re.compile(r"^(\w+)\[(\d+)\] is: (\S+)$")


def check_output(operator, text, is_sample):
    """A sample prints one number on each line; compares all of them. Our examples judge themselves
    by their exit status."""
    if not is_sample:
        expect("PASS" in text, f"{operator} printed no verdict")
        return
    # What the document's sample prints. Two of them upload float32 bytes into 16-bit tensors and read
    # 16-bit results as float32; these are the exact numbers that follow from those bytes.
    sample = SOURCE / "aclimb" / "ops" / operator / "sample.json"
    printed = []
    for line in text.splitlines():
        match = PRINTED.match(line)
        expect(match, f"{operator} printed: {line}")
        printed.append((match[1], int(match[2]), float(match[3])))
    expected = [
        (name, index, value)
        for name, values in json.loads(sample.read_text()).items()
        for index, value in enumerate(values)
    ]
    expect(
        len(printed) == len(expected),
        f"{operator} printed {len(printed)} numbers, expected {len(expected)}",
    )
    for got, want in zip(printed, expected):
        close = abs(got[2] - want[2]) <= 1e-6 * max(1.0, abs(want[2]))
        expect(got[:2] == want[:2] and close, f"{operator} printed {got}, expected {want}")

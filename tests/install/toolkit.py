"""What the installation tests share: the staged toolkit, running commands, the sample programs."""

import os
import pathlib
import re
import subprocess
import sys


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


def programs(source, folder, operators):
    """Sources of one program for each operator: the documents' samples where they are to be had,
    extracted into `folder`, else our examples. Operator -> (path, is it a sample)."""
    shared = pathlib.Path(source).resolve().parent / "shared"
    extract = shared / "tools" / "extract_sample.py"
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for operator in operators:
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
    printed = []
    for line in text.splitlines():
        match = PRINTED.match(line)
        expect(match, f"{operator} printed: {line}")
        printed.append((match[1], int(match[2]), float(match[3])))
    expected = [
        (name, index, value)
        for name, values in EXPECTED[operator]
        for index, value in enumerate(values)
    ]
    expect(
        len(printed) == len(expected),
        f"{operator} printed {len(printed)} numbers, expected {len(expected)}",
    )
    for got, want in zip(printed, expected):
        close = abs(got[2] - want[2]) <= 1e-6 * max(1.0, abs(want[2]))
        expect(got[:2] == want[:2] and close, f"{operator} printed {got}, expected {want}")


# What the documents' samples print. Two of them upload float32 bytes into 16-bit tensors and read
# 16-bit results as float32; these are the exact numbers that follow from those bytes.
EXPECTED = {
    "elu_backward": [("result", [2, 0, 0, 1])],
    "embedding_dense_backward": [("resultData", [0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0])],
    "roi_align_v2_backward": [
        (
            "result",
            [
                column + row
                for row in (1.125, 1.125, 4.125, 4.125, 7.125, 7.125)
                for column in (0, 0, 0.5, 0.5, 1, 1)
            ],
        )
    ],
    "cross_entropy_loss_grad": [
        ("result", [-44118324.0, 9732096.0, -44171264.0, -0.0091, 0.0409, 0.0409])
    ],
    "convolution_backward": [
        (
            "gradInputResult",
            [0.0] * 24 + [136.0] + [136.261841] * 24
            + [0.0] * 24 + [136.0] + [136.261841] * 24
            + [1.0] * 98,
        ),
        ("gradWeightResult", [0.0, 4468415255281664.0, 1.0, 1.0]),
        ("gradBiasResult", [0.0, 0.0]),
    ],
}

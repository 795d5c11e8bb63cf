"""aclimb completion.  completion_test.py <tool> <build folder>"""

import pathlib
import re
import shutil
import subprocess
import tempfile

from tool import CLEAN, expect, main

COMMANDS = ["run", "c++", "report", "explore", "replay", "explain", "ops", "info", "env", "completion"]


def parses(tool, build):
    """Each script is one that its shell can read."""
    for shell in ("bash", "zsh", "fish"):
        script = tool.output("completion", shell)
        for command in COMMANDS:
            expect(command in script, f"{shell}: {command} is missing")
            for option in re.findall(r"^  (--[a-z-]+)", tool.output(command, "--help"), re.MULTILINE):
                # fish writes "-l soc" for --soc.
                expect(option in script or f"-l {option[2:]} " in script, f"{shell}: {option}")
        if shutil.which(shell) is None:
            continue
        with tempfile.NamedTemporaryFile("w", suffix=f".{shell}") as file:
            file.write(script)
            file.flush()
            result = subprocess.run([shell, "-n", file.name], capture_output=True, text=True)
        expect(result.returncode == 0 and not result.stderr, f"{shell} -n: {result.stderr}")


def offered(tool, *words):
    """What bash offers for the last of the words."""
    script = (
        tool.output("completion", "bash")
        + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _aclimb; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    result = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", tool.path, *words],
        env=CLEAN, capture_output=True, text=True, cwd="/",
    )
    expect(result.returncode == 0 and not result.stderr, f"{words}: {result.stderr}")
    return result.stdout.split("\n")[:-1]


def in_bash(tool, build):
    for words, wanted in {
        ("",): [*COMMANDS, "--help", "--version"],
        ("ex",): ["explore", "explain"],
        ("expla",): ["explain"],
        ("run", "--dev"): ["--devices", "--device"],
        ("run", "--device", ""): ["cpu"],
        ("run", "--soc", "Ascend310"): ["Ascend310P3"],
        ("run", "--devices", "2", "--host"): ["--host-access"],
        ("ops", "aclnnEluB"): ["aclnnEluBackward"],
        ("ops", "--soc", "Ascend310"): ["Ascend310P3"],
        ("report", "--th"): ["--threads"],
        ("completion", ""): ["bash", "zsh", "fish"],
        ("explain", "10700"): [str(107000 + i) for i in range(10)],
        ("explain", "elu_backward/same-shape/"): [
            "elu_backward/same-shape/selfOrResult", "elu_backward/same-shape/gradInput"],
        ("info", "--j"): ["--json"],
        ("nonsense", ""): [""],
        # Files, from the program on.
        ("run", "--devices", "2", "cat", "/usr/b"): ["/usr/bin"],
        ("run", "--", "cat", "/usr/b"): ["/usr/bin"],
        ("c++", "/usr/b"): ["/usr/bin"],
    }.items():
        found = offered(tool, *words)
        expect(sorted(found) == sorted(wanted), f"{words}: offered {found}, expected {wanted}")
    expect("true" in offered(tool, "run", "tru"), "no programs behind run")


def in_fish(tool, build):
    if shutil.which("fish") is None:
        return
    with tempfile.TemporaryDirectory() as home:
        for line, wanted in {"aclimb expla": "explain", "aclimb run --hos": "--host-access",
                             "aclimb ops aclnnEluB": "aclnnEluBackward",
                             "aclimb run --device c": "cpu"}.items():
            script = tool.output("completion", "fish") + f"complete -C '{line}'\n"
            result = subprocess.run(
                ["fish", "--no-config", "-c", script], capture_output=True, text=True,
                env=dict(CLEAN, HOME=home, XDG_CONFIG_HOME=home, XDG_DATA_HOME=home))
            found = [word.split("\t")[0] for word in result.stdout.splitlines()]
            expect(wanted in found, f"{line}: {found} {result.stderr}")


def installed_script(tool, build):
    path = pathlib.Path(build, "share/bash-completion/completions/aclimb")
    expect(path.read_text() == tool.output("completion", "bash"), f"{path} is another script")


def wrong_use(tool, build):
    tool.refused("completion", "csh", said="csh")
    tool.refused("completion", "bash", "zsh", said="zsh")


if __name__ == "__main__":
    main(parses, in_bash, in_fish, installed_script, wrong_use)

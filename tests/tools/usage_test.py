"""Help, version, wrong use and output in general.  usage_test.py <tool>"""

import os
import pty
import re
import shutil
import subprocess
import tempfile

from tool import CLEAN, Tool, expect, main

COMMANDS = ["run", "c++", "explain", "ops", "info", "env", "completion", "replay"]


def version(tool):
    expect(
        re.fullmatch(r"aclimb \d+\.\d+\.\d+ \(toolkit [\w.]+\)\n", tool.output("--version")),
        tool.output("--version"),
    )


def helps(tool):
    text = tool.output("--help")
    for command in COMMANDS:
        expect(re.search(rf"^  {re.escape(command)} ", text, re.MULTILINE), f"no {command} in help")
        own = tool.output(command, "--help")
        expect(f"Usage: aclimb {command} " in own, f"{command} has no usage line: {own}")
        expect("Examples:\n  " in own and f"aclimb {command}" in own, f"{command}: no examples")
        expect(all(len(line) <= 110 for line in own.splitlines()), f"{command}: a long line")


def wrong_use(tool):
    tool.refused(said="aclimb --help")
    tool.refused("explian", said="explain is meant?")
    tool.refused("zzzzzz", said='no command "zzzzzz"')
    tool.refused("--nonsense", said="--nonsense")
    for words, meant in {("rnu", "x"): "run is meant?", ("rnu",): "run is meant?",
                         ("--verison",): "there is no option --verison; --version is meant?",
                         ("run", "--chek", "x"): "there is no option --chek; --check is meant?",
                         ("explore", "--seed", "5", "x"): "--seeds is meant?",
                         ("explain", "--lits"): "--list is meant?",
                         ("report", "-q"): "there is no option -q",
                         ("info", "--jsno"): "--json is meant?"}.items():
        tool.refused(*words, said=meant)
    tool.refused("info", "--json=yes", said='aclimb info: --json takes no value, got "yes"\n')
    for command in COMMANDS:
        if command != "c++":  # its options are the compiler's
            tool.refused(command, "--nonsense", said=f"Try: aclimb {command} --help")
    for command in ("info", "env"):
        tool.refused(command, "superfluous", said="superfluous")
    for command in ("run", "c++", "explain", "completion", "replay"):
        tool.refused(command, said=f"aclimb {command} --help")


def on_terminal(tool, **settings):
    """What a call prints to a terminal."""
    reader, writer = pty.openpty()
    process = subprocess.Popen(
        [tool.path, "explain", "107002"], stdout=writer, env=dict(CLEAN, **settings)
    )
    os.close(writer)
    text = b""
    while True:
        try:
            part = os.read(reader, 4096)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(reader)
    expect(process.wait() == 0, "explain failed on a terminal")
    return text.decode()


def colour_only_on_a_terminal(tool):
    plain = dict(TERM="xterm")
    expect("\033[" in on_terminal(tool, NO_COLOR="", **plain), "no colour on a terminal")
    expect("\033[" not in on_terminal(tool, NO_COLOR="1", **plain), "colour despite NO_COLOR")
    expect("\033[" not in on_terminal(tool, TERM="dumb"), "colour on a dumb terminal")
    expect("\033[" not in tool.output("explain", "107002"), "colour in a pipe")


def lines_fit_a_terminal_only(tool):
    long = max(tool.output("explain", "507015").splitlines(), key=len)
    expect(len(long) > 120, "a pipe gets broken lines")
    shown = on_terminal(tool, TERM="xterm", NO_COLOR="1").splitlines()
    expect(max(map(len, shown)) <= 80, "a terminal without a size gets lines longer than 80")


def full_disk(tool):
    with open("/dev/full", "w") as full:
        result = subprocess.run([tool.path, "explain", "--list"], stdout=full, env=CLEAN)
    expect(result.returncode == 1, f"a full disk went unnoticed: {result.returncode}")


def outside_of_a_toolkit(tool):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/bin")
        stray = Tool(shutil.copy(tool.path, f"{folder}/bin/aclimb"))
        for words in (["run", "true"], ["c++", "--show", "a.cpp"], ["info"]):
            stray.refused(*words, status=1, said="is no toolkit")
        # What needs no libraries works everywhere.
        stray.output("explain", "107002")
        # A link to the tool finds the tool's own tree.
        os.symlink(tool.path, f"{folder}/aclimb")
        Tool(f"{folder}/aclimb").output("run", "true")


if __name__ == "__main__":
    main(
        version,
        helps,
        wrong_use,
        colour_only_on_a_terminal,
        lines_fit_a_terminal_only,
        full_disk,
        outside_of_a_toolkit,
    )

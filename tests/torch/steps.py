"""What the tests of this folder share: running steps, each of which prints one line."""

import os
import subprocess
import sys
import traceback


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def refusal(step):
    """The text with which a step fails."""
    try:
        step()
    except RuntimeError as error:
        return str(error)
    raise AssertionError("nothing was refused")


def python(program, **environment):
    """Runs a program of its own; its stdout. Nothing may be written to stderr."""
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=dict(os.environ, **environment), capture_output=True, text=True, timeout=600,
    )
    expect(result.returncode == 0 and not result.stderr,
           f"ended with {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def main(*steps):
    failed = 0
    for step in steps:
        try:
            step()
            print(f"  {step.__name__}: ok", flush=True)
        except BaseException:
            failed += 1
            print(f"  {step.__name__}: FAILED\n{traceback.format_exc()}", flush=True)
    sys.exit(1 if failed else 0)

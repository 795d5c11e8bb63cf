"""What the tests of the command line tool share: calling it, and saying what is wrong."""

import os
import subprocess
import sys


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


# Nothing of ours, so that the machine the tests run on does not decide.
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("ACLIMB_", "ASCEND_")) and name not in ("CXX", "LD_LIBRARY_PATH")
}


class Tool:
    def __init__(self, path):
        self.path = path

    def call(self, *words, env=None, cwd=None, **settings):
        """Status, stdout and stderr of one call; `settings` are added to a clean environment."""
        return subprocess.run(
            [self.path, *map(str, words)],
            env=dict(CLEAN if env is None else env, **settings),
            cwd=cwd,
            capture_output=True,
            text=True,
        )

    def output(self, *words, **settings):
        """stdout of a call that succeeds and writes nothing to stderr."""
        result = self.call(*words, **settings)
        expect(result.returncode == 0, f"{words} ended with {result.returncode}: {result.stderr}")
        expect(result.stderr == "", f"{words} wrote to stderr: {result.stderr}")
        return result.stdout

    def refused(self, *words, status=2, said="", **settings):
        """A call that ends with `status`, says `said` on stderr and nothing on stdout."""
        result = self.call(*words, **settings)
        expect(
            result.returncode == status,
            f"{words} ended with {result.returncode}, expected {status}: {result.stderr}",
        )
        expect(said in result.stderr, f"{words} said {result.stderr!r}, expected {said!r}")
        expect(result.stderr != "", f"{words} failed without a word")
        expect(words[:1] != ("run",) or "no call of the runtime" not in result.stderr,
               f"{words} speaks of a program that did not run: {result.stderr!r}")
        expect(result.stdout == "", f"{words} failed but printed {result.stdout!r}")
        return result.stderr


def main(*tests):
    """Runs each test with the tool and the script's other arguments; all failures are told."""
    tool = Tool(sys.argv[1])
    failed = 0
    for test in tests:
        try:
            test(tool, *sys.argv[2:])
            print(f"passed: {test.__name__}")
        except Failure as failure:
            failed = 1
            print(f"FAILED: {test.__name__}: {failure}")
    sys.exit(failed)

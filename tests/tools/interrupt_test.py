"""What signals and the ends of programs leave of aclimb explore: nothing.

  interrupt_test.py <tool>
"""

import pathlib
import signal
import subprocess
import tempfile
import time

from tool import CLEAN, expect, main


def wait_until(condition, said):
    deadline = time.monotonic() + 30
    while not condition():
        expect(time.monotonic() < deadline, said)
        time.sleep(0.01)


def is_alive(process):
    """Whether it runs; one that nobody has waited for yet does not."""
    try:
        status = pathlib.Path("/proc", process, "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rsplit(")", 1)[1].split()[0] != "Z"


def explored(tool, folder, *before):
    """The tool with a program that does not end, and the program and what that has started."""
    processes = folder / "processes"
    script = f"sleep 60 & echo $$ $! > {processes}.new; mv {processes}.new {processes}; wait"
    explore = subprocess.Popen([*before, tool.path, "explore", "--", "sh", "-c", script],
                               env=dict(CLEAN, TMPDIR=str(folder)), stderr=subprocess.PIPE,
                               text=True)
    wait_until(processes.exists, "the program did not start")
    return explore, processes.read_text().split()


def signals_leave_nothing(tool):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            explore, processes = explored(tool, folder)
            explore.send_signal(number)
            _, said = explore.communicate(timeout=30)
            expect(explore.returncode == -number, f"{number}: ends with {explore.returncode}")
            expect(said == "", f"{number}: {said}")
            wait_until(lambda: not any(map(is_alive, processes)), f"{number}: {processes} live on")
            left = [path.name for path in folder.iterdir() if path.name != "processes"]
            expect(left == [], f"{number}: {left} is left")


def ends_leave_nothing(tool):
    """What a program starts ends with the run."""
    with tempfile.TemporaryDirectory() as temporary:
        started = pathlib.Path(temporary, "started")
        script = f"sleep 60 > /dev/null 2>&1 & echo $! > {started}"
        done = subprocess.run([tool.path, "explore", "--", "sh", "-c", script], env=CLEAN,
                              capture_output=True, text=True, timeout=30)
        expect("made no call of the runtime" in done.stderr, done)
        process = started.read_text().strip()
        wait_until(lambda: not is_alive(process), f"{process} lives on")


def ignored_signals_stay_ignored(tool):
    with tempfile.TemporaryDirectory() as temporary:
        explore, processes = explored(tool, pathlib.Path(temporary), "nohup")
        explore.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        expect(explore.poll() is None and all(map(is_alive, processes)), "ended by SIGHUP")
        explore.terminate()
        explore.communicate(timeout=30)
        expect(explore.returncode == -signal.SIGTERM, explore.returncode)


main(signals_leave_nothing, ends_leave_nothing, ignored_signals_stay_ignored)

"""The same numbers under forty settings of the process: its variables, limits, scheduling, files.

    settings_test.py PROGRAM [RESULT]

PROGRAM prints a digest of every result of all operators. Each setting has a process of its own, whose
lines must be those of a process without it, bit for bit. With RESULT, only settings whose names
contain it.
"""

import concurrent.futures
import contextlib
import itertools
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

TIMEOUT = 120
UNLIMITED = resource.RLIM_INFINITY
# What a call answers that needs a thread which the system refuses: the runtime's code, and phase 2's.
REFUSED = re.compile(r"(207005|361001)\b")
# The line of the callbacks, which have a thread of their own.
CALLBACKS = "conversions"
NOBODY = 65534
# Users who run nothing else, not even for another run of this test, so that the limit counts the program's
# threads alone.
LIMITED_USERS = itertools.count(60000 + os.getpid() % 500 * 8)


def limit(which, soft, hard=None):
    """For the child: sets a limit of the process."""
    return lambda: resource.setrlimit(which, (soft, soft if hard is None else hard))


def as_user_without_threads(threads):
    """For the child: a user who has as many threads as that, one of which is the program's first."""
    user = next(LIMITED_USERS)

    def set_up():
        os.setgid(user)
        os.setuid(user)
        resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
    return set_up


def block_all_signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def ignore_signals():
    for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGALRM, signal.SIGUSR1):
        signal.signal(number, signal.SIG_IGN)


def close_descriptors():
    # The answer comes through 1.
    for descriptor in (0, 2):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def in_a_deleted_directory():
    os.chdir(tempfile.mkdtemp())
    os.rmdir(os.getcwd())


def many_open_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    try:
        while True:
            os.dup(1)
    except OSError:
        # The loader needs one for each library, one after the other.
        os.close(63)


class Setting:
    """A row of the table. `team` is the size of a team that gives the same bits."""

    def __init__(self, name, team=2, variables=None, set_up=None, prefix=(), needs_root=False,
                 refused=None):
        self.name = name
        self.team = team
        self.variables = variables or {}
        self.set_up = set_up
        self.prefix = list(prefix)
        self.needs_root = needs_root
        # In lines that contain this a code will do instead of a result: the system refuses a thread
        # that there must be.
        self.refused = refused


def variable(name, value, team=2):
    return Setting(f"{name}={value}", team, {name: value})


SETTINGS = [
    # OpenMP's runtime, which oneDNN works with.
    variable("OMP_NUM_THREADS", "1"),
    variable("OMP_NUM_THREADS", "7"),
    variable("OMP_THREAD_LIMIT", "1", team=1),
    variable("OMP_THREAD_LIMIT", "2"),
    variable("OMP_DYNAMIC", "true"),
    variable("OMP_MAX_ACTIVE_LEVELS", "0"),
    variable("OMP_NESTED", "true"),
    variable("OMP_WAIT_POLICY", "passive"),
    variable("OMP_WAIT_POLICY", "active"),
    variable("OMP_PROC_BIND", "true"),
    variable("GOMP_CPU_AFFINITY", "0"),
    variable("OMP_SCHEDULE", "dynamic,1"),
    variable("OMP_STACKSIZE", "16k", team=1),
    variable("OMP_STACKSIZE", "900000G", team=1),
    variable("OMP_STACKSIZE", "64M"),
    # The heap and the loader.
    variable("MALLOC_PERTURB_", "165"),
    variable("MALLOC_ARENA_MAX", "1"),
    variable("MALLOC_CHECK_", "3"),
    variable("MALLOC_MMAP_THRESHOLD_", "4096"),
    variable("LD_BIND_NOW", "1"),
    variable("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0"),
    variable("LC_ALL", "de_DE.UTF-8"),
    variable("TMPDIR", "/nowhere"),
    # Limits.
    Setting("a stack of 64 KiB", 1, set_up=limit(resource.RLIMIT_STACK, 64 << 10)),
    Setting("a stack without a limit", set_up=limit(resource.RLIMIT_STACK, UNLIMITED)),
    Setting("no locked memory", set_up=limit(resource.RLIMIT_MEMLOCK, 0)),
    Setting("no core files, no files", set_up=limit(resource.RLIMIT_FSIZE, 0)),
    Setting("64 open files, nearly all in use", set_up=many_open_files),
    Setting("no descriptors 0 and 2", set_up=close_descriptors),
    Setting("no room for signals", set_up=limit(resource.RLIMIT_SIGPENDING, 0)),
    Setting("a thread for the engine alone", 1, set_up=as_user_without_threads(2),
            needs_root=True, refused=CALLBACKS),
    Setting("a thread for the engine and one more", 1, set_up=as_user_without_threads(3),
            needs_root=True, refused=CALLBACKS),
    Setting("threads for the teams and no more", set_up=as_user_without_threads(5),
            needs_root=True, refused=CALLBACKS),
    Setting("no thread but the first", 1, set_up=as_user_without_threads(1), needs_root=True,
            refused=""),
    # Scheduling.
    Setting("one processor", prefix=["taskset", "-c", str(min(os.sched_getaffinity(0)))]),
    Setting("the lowest priority", set_up=lambda: os.nice(19)),
    Setting("when nobody else works", set_up=lambda: os.sched_setscheduler(
        0, os.SCHED_BATCH, os.sched_param(0))),
    # Signals, files, addresses.
    Setting("all signals blocked", set_up=block_all_signals),
    Setting("signals ignored", set_up=ignore_signals),
    Setting("a directory that is gone", set_up=in_a_deleted_directory),
    Setting("files for nobody", set_up=lambda: os.umask(0o777)),
    Setting("addresses that are not random", prefix=["setarch", "-R"]),
    Setting("another user", set_up=lambda: (os.setgid(NOBODY), os.setuid(NOBODY)),
            needs_root=True),
    # The library's own.
    variable("ACLIMB_HOST_ACCESS", "1"),
    variable("ACLIMB_MEMORY", "256M"),
    variable("ASCEND_LAUNCH_BLOCKING", "1"),
    variable("ACLIMB_SCHEDULE", "random:7"),
]


def run(program, threads, setting=None):
    """What the program printed, or what became of it; None when its user may not run it."""
    setting = setting or Setting("")
    variables = {**os.environ, "ACLIMB_THREADS": str(threads), **setting.variables}
    try:
        done = subprocess.run(setting.prefix + program, env=variables, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, preexec_fn=setting.set_up,
                              timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return "it hung"
    except PermissionError:
        return None  # The other user may not look into this folder.
    except (OSError, subprocess.SubprocessError) as error:
        return f"it did not start: {error}"
    text = done.stdout.decode(errors="replace")
    return text if done.returncode == 0 else f"{text}it ended with {done.returncode}\n"


def difference(expected, text, setting):
    """The first line that differs."""
    wanted, lines = expected.splitlines(), text.splitlines()
    for i, line in enumerate(wanted):
        got = lines[i] if i < len(lines) else "nothing more"
        allowed = setting.refused is not None and setting.refused in line
        if got != line and not (allowed and REFUSED.search(got)):
            return f"expected {line!r}, got {got!r}"
    return f"got {lines[len(wanted):]} more" if len(lines) > len(wanted) else ""


def judged(program, expected, setting):
    """The setting, and None when it cannot be tried, else what is wrong."""
    if setting.needs_root and os.getuid() != 0:
        return setting, None
    text = run(program, 2, setting)
    return setting, None if text is None else difference(expected[setting.team], text, setting)


def main():
    program = [os.path.abspath(sys.argv[1]), "default"]
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    expected = {threads: run(program, threads) for threads in (1, 2)}
    for threads, text in expected.items():
        if "elu 400003 0: 0 " not in text or "it " in text:
            sys.exit(f"without a setting, {threads} threads: {text}")
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    settings = [setting for setting in SETTINGS if only in setting.name]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for setting, wrong in pool.map(lambda one: judged(program, expected, one), settings):
            kind = "skipped" if wrong is None else "failed" if wrong else "passed"
            counts[kind] += 1
            if kind != "passed":
                print(f"{kind}: {setting.name}: {wrong or 'needs root, and a folder that all may read'}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    sys.exit(1 if counts["failed"] else 0)


if __name__ == "__main__":
    main()

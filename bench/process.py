"""Processes that take turns: each speaks the line protocol of bench/protocol.h."""

import json
import os
import subprocess
import sys

# glibc then keeps what a process frees: its results lie in memory that is already mapped, instead
# of fresh pages, whose first touch costs ten times the memory's bandwidth.
WARM_HEAP = ("glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:"
             "glibc.malloc.trim_threshold=60000000000:glibc.malloc.top_pad=67108864")


class Failure(RuntimeError):
    pass


def pinned_cores(threads):
    """The cores that every process with so many threads shares."""
    return sorted(os.sched_getaffinity(0))[:threads]


def environment(threads, **more):
    """Every library on the same number of threads; a team that waits sleeps after about 0.2 ms."""
    count = str(threads)
    settings = {
        "ACLIMB_THREADS": count, "OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count,
        "MKL_NUM_THREADS": count, "OMP_DYNAMIC": "false", "OMP_WAIT_POLICY": "passive",
        "GOMP_SPINCOUNT": "10000", "KMP_BLOCKTIME": "0", "GLIBC_TUNABLES": WARM_HEAP,
    }
    settings.update(more)
    return {**os.environ, **settings}


class Process:
    def __init__(self, command, threads, **more):
        mask = ",".join(str(core) for core in pinned_cores(threads))
        self.made_with = (command, threads, more)
        self.command = ["taskset", "--cpu-list", mask, *(str(word) for word in command)]
        self.environment = environment(threads, **more)
        self.start()
        self.info = self.ask("info")
        self.name = self.info["name"]

    def start(self):
        self.child = subprocess.Popen(self.command, env=self.environment, text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def fresh(self):
        """Another one like this, whose heap gives back what it frees."""
        command, threads, more = self.made_with
        return Process(command, threads, **{**more, "GLIBC_TUNABLES": ""})

    def resident(self, field="VmRSS"):
        """Bytes of it that are in memory."""
        with open(f"/proc/{self.child.pid}/status") as file:
            kilobytes = next(line.split()[1] for line in file if line.startswith(field + ":"))
        return int(kilobytes) * 1024

    def forget_peak(self):
        """resident("VmHWM") is the largest resident("VmRSS") since."""
        with open(f"/proc/{self.child.pid}/clear_refs", "w") as file:
            file.write("5")

    def ask(self, *words):
        """The answer; Failure when it is an error, or when the process died, which starts anew."""
        line = ""
        try:
            self.child.stdin.write(" ".join(str(word) for word in words) + "\n")
            self.child.stdin.flush()
            line = self.child.stdout.readline()
        except BrokenPipeError:
            pass
        if not line:
            code = self.child.wait()
            if words[0] != "info":
                self.start()
            raise Failure(f"{' '.join(self.command[3:])} ended with {code} at: {words}")
        answer = json.loads(line)
        if "error" in answer:
            raise Failure(f"{words[0]}: {answer['error']}")
        return answer

    def open(self, case):
        parameters = [f"{key}={value}" for key, value in case["parameters"].items()]
        return self.ask("open", case["operator"], case["case"], *parameters)

    def close(self):
        self.ask("close")

    def stop(self):
        try:
            self.child.stdin.close()
            self.child.wait(timeout=20)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            self.child.terminate()


def say(text):
    """Progress, to stderr."""
    print(text, file=sys.stderr, flush=True)

"""Ranks that are processes.

  processes_test.py <rank program> <test>
"""

import contextlib
import json
import os
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time


def start(program, what, rank, size, file, **environment):
    return subprocess.Popen(
        [program, what, str(rank), str(size), str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, **environment})


def finish(processes, allowed=()):
    """What each printed; all of them have to end well, but for those of other statuses that are allowed."""
    outputs = []
    try:
        for rank, process in enumerate(processes):
            out, errors = process.communicate(timeout=100)
            expect(process.returncode == 0 or process.returncode in allowed,
                   f"rank {rank} ended with {process.returncode}:\n{out}{errors}")
            outputs.append(out)
    finally:
        for process in processes:
            process.kill()
    return outputs


def run(program, what, size, allowed=(), **environment):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "root"
        return finish([start(program, what, rank, size, file, **environment) for rank in range(size)], allowed)


def expect(holds, text):
    if not holds:
        raise AssertionError(text)


def all_functions(program):
    for size in (2, 3):
        run(program, "all", size)


def fixed_order(program):
    """The same bits everywhere and every time; with the switch on, those of the ranks' order."""
    outputs = [output for _ in range(2) for output in run(program, "digest", 3)]
    expect(len(set(outputs)) == 1, outputs)
    for ordered in (run(program, "digest", 3, HCCL_DETERMINISTIC="strict"),
                    run(program, "digest", 3, HCCL_DETERMINISTIC="true"), run(program, "digest-set", 3)):
        expect(len(set(ordered)) == 1 and "in the order of ranks" in ordered[0], ordered)


def order_differs(program):
    """Two ranks that would reduce in different ways do not come together."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "root"
        outputs = finish([start(program, "join", rank, 2, file, HCCL_DETERMINISTIC=value)
                          for rank, value in enumerate(("strict", "false"))])
    for output in outputs:
        code, text = output.split("\n", 1)
        expect(code == "1" and "in the order of the ranks but rank" in text, output)


def rank_table(program):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "table.json"
        devices = ",".join(f'{{"device_id": "{rank}", "rank_id": "{rank}"}}' for rank in range(2))
        file.write_text('{"version": "1.0", "status": "completed", "server_count": "1", "server_list": '
                        f'[{{"server_id": "127.0.0.1", "device": [{devices}]}}], "run": "{time.time_ns()}"}}')
        port = str(free_ports())
        finish([start(program, "table", rank, 2, file, HCCL_IF_BASE_PORT=port) for rank in range(2)])


def free_ports():
    """The first of 32 ports that nobody uses."""
    while True:
        first = random.randrange(20000, 30000)
        try:
            for port in range(first, first + 32):
                with socket.socket() as taken:
                    taken.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue


def checked(program):
    """The checker has nothing to say of what is right, and names memory that is freed in flight."""
    run(program, "all", 2, ACLIMB_CHECK="1")
    with tempfile.TemporaryDirectory() as folder:
        run(program, "free-early", 2, allowed=(86,), ACLIMB_CHECK="1", ACLIMB_CHECK_OUT=f"{folder}/%p")
        for file in pathlib.Path(folder).iterdir():
            text = file.read_text()
            expect("check/memory/freed-in-flight" in text and "HcclBroadcast" in text, text)
        expect(len(list(pathlib.Path(folder).iterdir())) == 2, "a rank without a finding")


def traced(program):
    """The stream's time in a collective is in the trace, with its bytes."""
    with tempfile.TemporaryDirectory() as folder:
        run(program, "digest", 2, ACLIMB_TRACE=f"{folder}/%p")
        for file in pathlib.Path(folder).iterdir():
            spans = [event["args"] for event in json.loads(file.read_text())
                     if event.get("cat") == "work" and event["name"] == "HcclAllReduce"]
            # The operation, and the task that has its result.
            expect(len(spans) == 2 and spans[0]["bytes"] == 2 * 4 * 100003 and spans[1]["bytes"] == 0, spans)
            expect(spans[0]["arguments"] == {"count": 100003, "dataType": "FP32", "op": "SUM"}, spans)


def faults(program):
    """ACLIMB_FAULT makes a collective's result an error, as any task's."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "root"
        ranks = [start(program, "digest", rank, 2, file, ACLIMB_FAULT="HcclAllReduce@run:1=507018") for rank in range(2)]
        for rank in ranks:
            errors = rank.communicate(timeout=100)[1]
            expect(rank.returncode == 1 and "(HcclAllReduce) of stream" in errors, errors)


def forked(program):
    run(program, "fork", 2)


def death(program):
    run(program, "die", 3, allowed=(-9,))


def leaving(program):
    run(program, "leave", 3)


def death_of_root(program):
    run(program, "root-dies", 3, allowed=(-9,))


# What the others get is decided by what happened, not by a time-out: that is far away.
FAR = {"HCCL_EXEC_TIMEOUT": "600", "HCCL_CONNECT_TIMEOUT": "600"}


def late(program):
    run(program, "late", 3, **FAR)


def mismatch(program):
    run(program, "mismatch", 3)


def mismatch_places(program):
    """Under the checker both ranks' calls are named with the places where they are made."""
    for output in run(program, "mismatch", 2, ACLIMB_CHECK="1"):
        places = [re.search(function + r"\([^)]*\), called in (.*?rank_program\S*\))", output)
                  for function in ("HcclAllReduce", "HcclBroadcast")]
        expect(all(places), output)
        expect(places[0][1] != places[1][1], output)


# The status of a rank that has all the data before the other one dies.
ALL_CAME = 3


def death_inside(program):
    """Rank 0 stands still, with a part of the data, until rank 1 has died."""
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder:
            ranks = [start(program, "die-inside", rank, 2, pathlib.Path(folder) / "root", **FAR) for rank in range(2)]
            try:
                ranks[1].wait(timeout=100)
                ranks[0].send_signal(signal.SIGCONT)
            finally:
                finish(ranks, allowed=(-9, ALL_CAME))
        if ranks[0].returncode != ALL_CAME:
            return
    raise AssertionError("rank 0 had all the data each time")


def early_end(program):
    for _ in range(3):
        run(program, "end-early", 3, **FAR)


def counts(program):
    run(program, "counts", 3, **FAR)
    run(program, "send-counts", 2, **FAR)


def send_against_collective(program):
    run(program, "send-collective", 2, **FAR)


def names(program):
    run(program, "names", 2, **FAR)


def lists(program):
    run(program, "lists", 3, allowed=(-9,), **FAR)


def destroy_waiting(program):
    run(program, "destroy-waiting", 2, **FAR)


def abort(program):
    run(program, "abort", 3, **FAR)
    run(program, "abort-running", 2, **FAR)


def missing(program):
    outputs = run(program, "missing", 3, HCCL_CONNECT_TIMEOUT="6")
    for output in outputs[:2]:
        code, text = output.split("\n", 1)
        expect(code in ("9", "1") and "2 of 3 ranks have joined; missing: 2" in text, output)


def wrong_size(program):
    outputs = run(program, "wrong-size", 3, HCCL_CONNECT_TIMEOUT="20")
    expect(any("nRanks" in output for output in outputs), outputs)
    for output in outputs:
        code, text = output.split("\n", 1)
        # A rank that comes last may find that the root's process has ended.
        ended = code == "9" and "cannot be reached" in text
        expect(ended or code in ("1", "11") and ("nRanks" in text or "closed the connection" in text), output)


def strangers(program):
    """Garbage on the port where the ranks meet is dropped, and the ranks come together."""
    port = free_ports()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "root"
        environment = {"HCCL_IF_IP": "127.0.0.1", "HCCL_IF_BASE_PORT": str(port),
                       "ACLIMB_LOG": f"file={folder}/log", "ASCEND_GLOBAL_LOG_LEVEL": "2"}
        processes = [start(program, "all", 0, 2, file, **environment)]
        while not file.exists():
            time.sleep(0.01)
        draw = random.Random(5)
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(5)]
        hello = struct.pack("<IHHI", 0x42484341, 1, 0, 60)
        for i in range(300):
            with socket.create_connection(("127.0.0.1", port)) as stranger:
                kind = i % 4
                garbage = draw.randbytes(draw.randrange(1, 2000))
                if kind == 1:  # a header, and then anything
                    garbage = hello + garbage
                elif kind == 2:  # a length beyond all bounds
                    garbage = struct.pack("<IHHI", 0x42484341, draw.randrange(0, 20), 0, 0xFFFFFFF0)
                elif kind == 3:  # a message that only ranks may send
                    garbage = struct.pack("<IHHI", 0x42484341, draw.randrange(4, 14), 0, 8) + garbage[:8]
                try:
                    stranger.sendall(garbage)
                except OSError:
                    pass
        processes.append(start(program, "all", 1, 2, file, **environment))
        finish(processes)
        for each in silent:
            each.close()
        log = (pathlib.Path(folder) / "log").read_text()
        expect("was dropped" in log and "(300 so far)" in log, log[-2000:])


class Hosts:
    """Two hosts with a network between them: network namespaces, where the system lets us have them.

    A host of one rank alone needs no loopback, if the root is elsewhere: `loopbacks` is how many have one.
    """

    def __init__(self, loopbacks=2):
        self.loopbacks = loopbacks
        self.names = [f"aclimb_{os.getpid()}_{rank}" for rank in range(2)]
        self.addresses = ["10.233.71.1", "10.233.71.2"]

    def __enter__(self):
        for name in self.names:
            command("ip", "netns", "add", name)
        command("ip", "link", "add", "ranks", "netns", self.names[0], "type", "veth",
                "peer", "name", "ranks", "netns", self.names[1])
        for host, (name, address) in enumerate(zip(self.names, self.addresses)):
            command("ip", "-n", name, "addr", "add", f"{address}/24", "dev", "ranks")
            for interface in ("lo", "ranks") if host < self.loopbacks else ("ranks",):
                command("ip", "-n", name, "link", "set", interface, "up")
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def start(self, program, what, rank, file):
        return subprocess.Popen(
            ["ip", "netns", "exec", self.names[rank], program, what, str(rank), "2", str(file)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "HCCL_SOCKET_IFNAME": "=ranks"})

    def cut(self):
        command("ip", "-n", self.names[0], "link", "set", "ranks", "down")


def command(*words):
    subprocess.run(words, check=True, capture_output=True)


def two_hosts(program):
    """Ranks on two hosts; then the network between them is cut."""
    with contextlib.ExitStack() as stack:
        try:
            hosts = stack.enter_context(Hosts(loopbacks=1))
        except (OSError, subprocess.CalledProcessError) as error:
            Hosts().__exit__()
            print(f"skipped: no network namespaces here ({error})")
            sys.exit(77)
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        finish([hosts.start(program, "all", rank, folder / "all") for rank in range(2)])
        ranks = [hosts.start(program, "cut-off", rank, folder / "root") for rank in range(2)]
        while not all((folder / f"root.ready{rank}").exists() or ranks[rank].poll() is not None for rank in range(2)):
            time.sleep(0.01)
        hosts.cut()
        (folder / "root.cut").write_text("cut")
        finish(ranks)


if __name__ == "__main__":
    globals()[sys.argv[2]](sys.argv[1])

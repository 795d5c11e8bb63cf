#!/usr/bin/env python3
"""Measures HcclAllReduce beside Gloo called directly and Open MPI, and keeps the figures.

  measure.py [<aclimb_collectives_bench>] [--most BYTES] [--only NAME...] [--figures FILE] [--write]

Ranks are processes of this machine, or of two network namespaces of it, where the system lets us have them. Open MPI
takes part where mpirun is there and the program was built with it, over TCP as the others and, in runs of its own, by
shared memory. The figures go into FILE, docs/measurements/hccl.json where none is named; --write puts their tables into
docs/hccl.md, without the program those of the figures that are there. The machine should do nothing else.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/collectives"))
from processes_test import Hosts  # noqa: E402

MEASURED = ROOT / "docs/measurements/hccl.json"
PAGE = ROOT / "docs/hccl.md"
COLUMNS = ("HCCL", "Gloo", "Open MPI")


def by_shell(program, ranks, folder, most, prefixes=None, **environment):
    processes = []
    for rank in range(ranks):
        words = [*(prefixes[rank] if prefixes else []), program, folder, str(most)]
        processes.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={
            **os.environ, "RANK": str(rank), "WORLD_SIZE": str(ranks), **environment}))
    outputs = [process.communicate()[0] for process in processes]
    for process in processes:
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, process.args)
    return outputs[0]


def by_mpirun(program, ranks, folder, most, components):
    # Bound to a core each, as mpirun has it for two ranks, Gloo's own thread and its caller would take turns.
    words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "btl", components,
             "-n", str(ranks), program, folder, str(most)]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, "HCCL_IF_IP": "127.0.0.1"}).stdout


def one_host(program, ranks, folder, most):
    if shutil.which("mpirun") is None:
        return by_shell(program, ranks, folder, most, HCCL_IF_IP="127.0.0.1")
    return by_mpirun(program, ranks, folder, most, "tcp,self")


def one_host_by_memory(program, ranks, folder, most):
    return by_mpirun(program, ranks, folder, most, "vader,self")


def hosts(program, ranks, folder, most):
    with Hosts() as both:
        prefixes = [["ip", "netns", "exec", both.names[rank % 2], "env", f"HCCL_IF_IP={both.addresses[rank % 2]}"]
                    for rank in range(ranks)]
        return by_shell(program, ranks, folder, most, prefixes)


# How, how many ranks, and the most bytes.
RUNS = {"host 2": (one_host, 2, 256 << 20), "hosts 2": (hosts, 2, 256 << 20), "memory 2": (one_host_by_memory, 2, 64 << 20),
        "host 4": (one_host, 4, 64 << 20), "hosts 4": (hosts, 4, 64 << 20)}


def rows_of(output):
    rows = {}
    for line in output.splitlines()[1:]:
        size, *times = line.split()
        figures = {name: dict(zip(("median", "least", "switches"), map(float, times[3 * i:3 * i + 3])))
                   for i, name in enumerate(COLUMNS)}
        rows[size] = {name: of_one for name, of_one in figures.items() if of_one["median"] > 0}
    return rows


def size_text(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def time_text(row, name):
    if name not in row:
        return "–"
    digits = 1 if row[name]["median"] < 1e5 else 0
    return f'{row[name]["median"]:.{digits}f} ({row[name]["least"]:.{digits}f})'


def beside(row, size):
    """Of little data the time that it takes more, of much the share of the bandwidth."""
    hccl, gloo = row["HCCL"]["median"], row["Gloo"]["median"]
    return f"{hccl - gloo:+.0f} µs" if size < 1 << 20 else f"{gloo / hccl:.2f}"


def table(figures, name, title):
    rows = figures[name]["rows"]
    memory = figures.get("memory 2", {"rows": {}})["rows"] if name == "host 2" else {}
    columns = {"HCCL": [time_text(row, "HCCL") for row in rows.values()],
               "Gloo": [time_text(row, "Gloo") for row in rows.values()]}
    columns["HCCL beside Gloo"] = [beside(row, int(size)) for size, row in rows.items()]
    columns["thread changes, HCCL"] = [f'{row["HCCL"]["switches"]:.1f}' for row in rows.values()]
    columns["Gloo's"] = [f'{row["Gloo"]["switches"]:.1f}' for row in rows.values()]
    columns["Open MPI, TCP"] = [time_text(row, "Open MPI") for row in rows.values()]
    columns["Open MPI, shared memory"] = [time_text(memory.get(size, {}), "Open MPI") for size in rows]
    columns = {heading: column for heading, column in columns.items() if set(column) != {"–"}}
    yield f"{title}, with a load of {figures[name]['load']:.0f} on {figures[name]['cores']} cores:\n\n"
    yield "| bytes | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns) + "\n"
    for size, *texts in zip(rows, *columns.values()):
        yield f"| {size_text(int(size))} | " + " | ".join(texts) + " |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--most", type=int, default=256 << 20, help="bytes, where a run would go on to more")
    parser.add_argument("--only", nargs="+", choices=RUNS, default=list(RUNS))
    parser.add_argument("--figures", type=pathlib.Path, default=MEASURED)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    figures = json.loads(options.figures.read_text()) if options.figures.exists() else {}
    for name in options.only if options.program else ():
        run, ranks, most = RUNS[name]
        try:
            with tempfile.TemporaryDirectory() as folder:
                output = run(os.path.abspath(options.program), ranks, folder + "/ranks", min(most, options.most))
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{name}: not measured ({error})")
            continue
        print(f"{name}\n{output}", end="", flush=True)
        rows = figures.get(name, {}).get("rows", {})
        figures[name] = {"load": os.getloadavg()[0], "cores": os.cpu_count(), "rows": {**rows, **rows_of(output)}}
        options.figures.write_text(json.dumps(figures, indent=1) + "\n")
    if not options.write:
        return
    titles = {"host 2": "Two ranks on one machine", "host 4": "Four ranks on one machine",
              "hosts 2": "Two ranks in two network namespaces of one machine",
              "hosts 4": "Four ranks in two network namespaces of one machine"}
    text = "\n".join("".join(table(figures, name, title)) for name, title in titles.items() if name in figures)
    begin, end = "<!-- measured -->\n", "<!-- /measured -->"
    page = PAGE.read_text()
    PAGE.write_text(page[:page.index(begin) + len(begin)] + text + page[page.index(end):])


if __name__ == "__main__":
    main()

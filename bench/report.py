#!/usr/bin/env python3
"""Writes what bench/compare measured: as text, into README.md (short), docs/measurements/table.md.

    bench/report.py results.json                  prints the table
    bench/report.py --write results.json          puts the figures into docs/measured, where each machine
                                                  has a file, draws its picture in docs/images, and rewrites
                                                  the marked parts of README.md and
                                                  docs/measurements/table.md for all machines
"""

import argparse
import json
import math
import pathlib
import re
import string

import plot

SOURCE = pathlib.Path(__file__).resolve().parent.parent
MEASURED = SOURCE / "docs" / "measured"
BEGIN, END = "<!-- measured: begin (bench/report.py) -->", "<!-- measured: end -->"
HEADER = ["case", "dtype", "threads", "ms", "GB/s or GFLOP/s", "of limit", "peer ms", "ratio",
          "spread", "deterministic", "workspace", "memory", "peer memory", "peer"]
# Rows that take less, in nanoseconds, have their phases told.
SHORT_NS = 20e3


def milliseconds(nanoseconds):
    value = nanoseconds * 1e-6
    return f"{value:.3g}" if value >= 0.001 else f"{value:.2g}"


def size(count):
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{int(count)} B"


def memory(row, key):
    return size(row[key]) if row.get(key) else ""


def speed(row):
    if row["limit"] == "FMA":
        return f"{row['flops'] / row['ns']:.0f} GFLOP/s"
    return f"{(row['read_bytes'] + row['write_bytes']) / row['ns']:.3g} GB/s"


def spread(row):
    """The middle half of the pairs, or the extremes of several runs."""
    low, *_, high = row.get("ratio_of_runs", row["ratio_range"])
    runs = f" in {len(row['ratio_of_runs'])} runs" if "ratio_of_runs" in row else ""
    return f"{low:.2f}-{high:.2f}{runs}"


def cells(row):
    start = [f"{row['operator']}/{row['case']}", row["dtype"], str(row["threads"])]
    if "failed" in row:
        return start + ["failed"] + [""] * 9 + [row["failed"][:60]]
    ours = [milliseconds(row["ns"]), speed(row), f"{row['share']:.0%} {row['limit']}"]
    more = [f"{row['deterministic']:.2f}", size(row["workspace"]), memory(row, "memory")]
    if "ratio" not in row:
        return start + ours + ["no peer", "", ""] + more + ["", ""]
    return start + ours + [milliseconds(row["peer_ns"]), f"{row['ratio']:.2f}", spread(row)] + more + [
        memory(row, "peer_memory"), row["peer"]]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def mean_ratio(rows):
    """(geometric mean of the ratios, how many)"""
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    return geometric_mean(ratios), len(ratios)


def key(row):
    """What makes it the same row in another measurement."""
    return row["operator"], row["case"], row["dtype"], row["threads"]


def family(row):
    """The operator's folder; the operators that were measured before there were families have one each."""
    return row.get("family", row["operator"])


def families(rows):
    return dict.fromkeys(family(row) for row in rows)


def threads_of(rows):
    return sorted({row["threads"] for row in rows})


def means(rows):
    for threads in threads_of(rows):
        part = [row for row in rows if row["threads"] == threads]
        mean, count = mean_ratio(part)
        if count:
            worst = min((row for row in part if "ratio" in row), key=lambda row: row["ratio"])
            name = f"{worst['operator']}/{worst['case']}"
            told = geometric_mean([row["memory"] / row["peer_memory"] for row in part
                                   if row.get("memory") and row.get("peer_memory")])
            yield (f"{threads} thread{'s' if threads > 1 else ''}: geometric mean {mean:.2f} over "
                   f"{count} rows, lowest {worst['ratio']:.2f} ({name}); memory {told:.2f} of the "
                   f"peer's")


def text_table(rows):
    lines = [HEADER, *(cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                     for line in lines)


def markdown_table(header, lines):
    return "\n".join(["| " + " | ".join(line) + " |"
                      for line in (header, ["---"] * len(header), *lines)])


def dates_of(text):
    """"2026-11-24 and 2026-11-26 and 2026-11-29" is "from 2026-11-24 to 2026-11-29"."""
    dates = text.split(" and ")
    return f"from {dates[0]} to {dates[-1]}" if len(dates) > 2 else text


def machine_line(results, measured):
    """Where the figures come from; `measured` is the folder of the results, as the page links it."""
    versions = sorted({info["name"] for infos in results["processes"].values() for info in infos
                       if info["name"] not in ("aclimb", "limits")})
    first, *later = results["command"].split("; ")
    each = " --operator OPERATOR for each"
    command = f"`{first.removesuffix(each)}`" + (" for each operator" if first.endswith(each) else "")
    if later:
        command += ", and some rows again later (all commands: " \
                   f"[{machine_name(results)}.json]({measured}/{machine_name(results)}.json))"
    return (f"Measured {dates_of(results['date'])} on {results['cpu']}, {results['cores']} cores, "
            f"{results['compiler']}, with {command}. Peers: {', '.join(versions)}.")


def machine_name(results):
    """What files of the machine are called: "amd-epyc-family-25-model-17"."""
    return re.sub(r"[^a-z0-9]+", "-", results["cpu"].lower()).strip("-")


def published():
    """The results in docs/measured, by the letter that stands for the machine."""
    results = [json.loads(path.read_text()) for path in MEASURED.glob("*.json")]
    results.sort(key=lambda each: (-len(each["rows"]), each["cpu"]))
    return dict(zip(string.ascii_uppercase, results))


def short_block(machines):
    """README.md: a line for each family, with the geometric mean and the extremes for each machine and
    number of threads."""
    columns = [(f"{letter}, {threads} thread{'s' if threads > 1 else ''}",
                [row for row in results["rows"] if "ratio" in row and row["threads"] == threads])
               for letter, results in machines.items() for threads in threads_of(results["rows"])]
    lines = []
    for name in families(row for _, rows in columns for row in rows):
        parts = [[row["ratio"] for row in rows if family(row) == name] for _, rows in columns]
        told = [f"**{geometric_mean(ratios):.2f}** ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else ""
                for ratios in parts]
        lines.append([f"`{name}`", str(max(map(len, parts))), *told])
    return "\n\n".join([
        "Speed relative to the fastest peer: PyTorch's ways to do the same, oneDNN called directly "
        "(above 1: Aclimb is faster). The geometric mean over the problems of a family, and the extremes:",
        markdown_table(["family", "problems", *(title for title, _ in columns)], lines),
        "\n".join(f"- **{letter}.** {machine_line(results, 'docs/measured')} "
                  f"[Picture](docs/images/ratios-{machine_name(results)}.svg)."
                  for letter, results in machines.items()),
        "Every row: [docs/measurements/table.md](docs/measurements/table.md)."])


def limits_table(results):
    names = ["read", "write", "write_nt", "copy", "copy_nt", "triad", "triad_nt", "zero_fill"]
    lines = []
    for limits in results["limits"]:
        for level in ("L2", "L3", "DRAM"):
            if level in limits:
                values = [f"{limits[level][name]:.0f}" if name in limits[level] else ""
                          for name in names]
                lines.append([level, str(limits["threads"]), *values])
    return markdown_table(["level, GB/s", "threads", *names], lines)


def phases_table(rows):
    """Where the time of a short call goes, in microseconds."""
    lines = [[f"{row['operator']}/{row['case']}", str(row["threads"]),
              *(f"{row['phases'][name] * 1e-3:.2f}"
                for name in ("phase1_ns", "phase2_ns", "synchronise_ns"))]
             for row in rows if "failed" not in row and row["ns"] < SHORT_NS]
    return markdown_table(["case", "threads", "phase 1", "phase 2", "synchronise"], lines)


def full_block(results):
    rows = results["rows"]
    arithmetic = [f"{limits['threads']} thread{'s' if limits['threads'] > 1 else ''}: "
                  f"{limits['gemm_f32']:.0f} GFLOP/s float32, {limits['gemm_bf16']:.0f} GFLOP/s "
                  f"bfloat16 dot, fork-join {limits['fork_join_ns']:.0f} ns"
                  for limits in results["limits"]]
    settings = []
    for threads, infos in results["processes"].items():
        for info in infos:
            if "threads" in info:
                words = ", ".join(f"{key}={value}" for key, value in info["threads"].items()
                                  if value != "")
                settings.append(f"- {info['name']}, {threads} thread(s): {words}")
    blocks = [machine_line(results, "../measured"),
              "\n".join("- " + line for line in means(rows)),
              "### Limits of the machine", limits_table(results),
              "\n".join("- " + line for line in arithmetic)]
    for name in families(rows):
        lines = [cells(row) for row in rows if family(row) == name]
        blocks += [f"### {name}", markdown_table(HEADER, lines)]
    blocks += ["### Phases of short calls", "Microseconds, each phase timed apart, which adds "
               "the clock's own 0.02 to 0.05.", phases_table(rows)]
    blocks += ["### Thread settings", "\n".join(settings)]
    return "\n\n".join(blocks)


def replace_block(path, block, title):
    """Puts the block between the marks; a file without marks gets them at its end."""
    text = path.read_text() if path.exists() else f"# {title}\n"
    if BEGIN not in text:
        text = text.rstrip("\n") + f"\n\n{BEGIN}\n{END}\n"
    head, rest = text.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{head}{BEGIN}\n{block}\n{END}{tail}")


def rounded(value):
    """The same to five digits, which is more than a measurement has."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, list):
        return [rounded(each) for each in value]
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return value


def record(results):
    """The results as text, a line for each row, for bench/compare --onto and bench/compare.py. Of
    all turns it keeps the extremes."""
    def kept(row):
        row = {key: value for key, value in row.items() if key not in ("parameters", "notes")}
        for name in ("all_ns", "peer_all_ns"):
            if name in row:
                row[name] = [min(row[name]), max(row[name])]
        return json.dumps(rounded(row))

    head = json.dumps(rounded({**results, "rows": []}), indent=1)
    rows = ",\n".join(kept(row) for row in results["rows"])
    return head.replace('"rows": []', f'"rows": [\n{rows}\n]') + "\n"


def write(results):
    images = SOURCE / "docs" / "images"
    for folder in (MEASURED, images):
        folder.mkdir(parents=True, exist_ok=True)
    (MEASURED / f"{machine_name(results)}.json").write_text(record(results))
    (images / f"ratios-{machine_name(results)}.svg").write_text(plot.ratios_svg(results["rows"]))
    machines = published()
    replace_block(SOURCE / "README.md", short_block(machines), "Aclimb")
    replace_block(SOURCE / "docs" / "measurements" / "table.md",
                  "\n\n".join(f"## {letter}: {each['cpu']}\n\n{full_block(each)}" for letter, each in machines.items()),
                  "The table: every row")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--write", action="store_true", help="docs/measured, README.md, docs/measurements/table.md, picture")
    options = parser.parse_args()
    results = json.loads(options.results.read_text())
    print(text_table(results["rows"]))
    print("\n".join(means(results["rows"])))
    if options.write:
        if not results["complete"]:
            parser.error("--write publishes whole families: this measurement left rows or turns out")
        write(results)


if __name__ == "__main__":
    main()

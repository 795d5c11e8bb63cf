#!/usr/bin/env python3
"""What Gloo's all-reduce would cost on more hosts than there are here: a simulation of its schedules.

  simulate.py [--gigabits 10] [--slow 10] [--write|--check]

Every rank is a host. The simulation assumes that a message of b bytes takes alpha + b * beta from the moment that its
sender has it and its link is free, whatever the other links do. Both come from what bench/collectives/measure.py has
measured between two network namespaces of one machine (docs/measurements/hccl.json), which is no network of hosts: an
all-reduce of four bytes is two messages, one behind the other, and one of many bytes moves each byte once. --gigabits takes a network of that speed instead of the measured beta. --write puts the
tables into docs/hccl.md; --check holds that they are there, and that the page names the borders of transport.cc.
"""

import argparse
import collections
import json
import math
import operator
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEASURED = ROOT / "docs/measurements/hccl.json"
PAGE = ROOT / "docs/hccl.md"
HOSTS = (2, 8, 64, 256, 1024)
SIZES = ((1 << 10, "1 KiB"), (1 << 20, "1 MiB"), (256 << 20, "256 MiB"))
SEGMENT = 1 << 20
TRANSPORT = (ROOT / "aclimb/collectives/gloo/transport.cc").read_text()
# Of each rank, in KiB: up to there it takes halves, but of one element on a short ring.
LITTLE = int(re.search(r"kLittleBytesOfRank = uint64_t\{(\d+)\} << 10;", TRANSPORT)[1])
SHORT_RING = int(re.search(r"kRanksOfShortRing = (\d+);", TRANSPORT)[1])


def segments(ranks, size):
    """Bytes of a segment, and how many of them a rank's block has, as Gloo cuts them."""
    segment = max(min(-(-size // (2 * ranks)), SEGMENT), 4)
    return segment, max(-(-size // (segment * ranks)), 2)


def ring(ranks, size, alpha, betas):
    """Seconds until the last rank has everything; betas[r] is that of the link from rank r to the one before it.

    Gloo reduces the segments once around the ring, and then hands them once around it. In each step a rank sends
    what it got a block's length of steps before, when what it began two steps before is done.
    """
    segment, block = segments(ranks, size)
    # Even ranks do the same at the same time: one stands for all.
    costs = [segment * beta for beta in (betas[:1] if len(set(betas)) == 1 else betas)]
    done = collections.deque([[0.0] * len(costs) for _ in range(block)], maxlen=block)
    sent = collections.deque([[0.0] * len(costs) for _ in range(2)], maxlen=2)
    for _ in range(2 * (ranks - 1) * block):
        sends = list(map(operator.add, map(max, done[0], done[-2], sent[-1]), costs))
        comes = [came + alpha for came in sends[1:] + sends[:1]]
        done.append(list(map(max, comes, done[-1])))
        sent.append(sends)
    return max(done[-1])


def halves(ranks, size, alpha, betas):
    """As ring(), of a power of 2 ranks, where partners at distances 1, 2, 4 ... exchange halves, and then the sums in the opposite order. A
    message goes by its sender's link and by its receiver's, and takes as long as the slower one."""
    done = [0.0] * ranks
    down = [(1 << step, size / (2 << step)) for step in range(ranks.bit_length() - 1)]
    for distance, piece in down + down[::-1]:
        sent = [done[r] + alpha + piece * max(betas[r], betas[r ^ distance]) for r in range(ranks)]
        done = [max(sent[r], sent[r ^ distance]) for r in range(ranks)]
    return max(done)


def all_reduce(ranks, size, alpha, betas):
    return (halves if size <= (LITTLE << 10) * ranks else ring)(ranks, size, alpha, betas)


def text_of(seconds):
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def tables(alpha, beta, slow, network):
    yield (f"alpha = {alpha * 1e6:.0f} µs a message, beta = {1 / beta / 1e9:.2f} GB/s ({network}); the slow link is "
           f"{slow} times as slow as the others.\n\n")
    yield "| hosts | messages, one behind the other: by halves, by the ring | traffic of a rank, of S bytes |"
    yield "".join(f" {name} | one slow link |" for _, name in SIZES) + "\n"
    yield "|---|---|---|" + "---|---|" * len(SIZES) + "\n"
    for ranks in HOSTS:
        yield (f"| {ranks} | {2 * (ranks.bit_length() - 1)}, {2 * (ranks - 1)} | "
               f"{2 * (ranks - 1) / ranks:.2f} S sent, as much received |")
        for size, _ in SIZES:
            betas = [beta] * ranks
            even = all_reduce(ranks, size, alpha, betas)
            betas[ranks // 2] *= slow
            yield f" {text_of(even)} | {text_of(all_reduce(ranks, size, alpha, betas))} |"
        yield "\n"


def measured():
    """alpha and beta in seconds, of HCCL between two network namespaces: of the least times, which other programs have
    stretched least."""
    rows = {int(size): row for size, row in json.loads(MEASURED.read_text())["hosts 2"]["rows"].items()}
    alpha = rows[4]["HCCL"]["least"] * 1e-6 / 2
    most = max(rows)
    return alpha, rows[most]["HCCL"]["least"] * 1e-6 / most


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabits", type=float)
    parser.add_argument("--slow", type=float, default=10)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    alpha, beta = measured()
    network = "both measured between two network namespaces of one machine"
    if options.gigabits:
        beta, network = 8 / (options.gigabits * 1e9), f"a network of {options.gigabits:g} Gbit/s"
    # What theory says of even links, so that a mistake here shows.
    for ranks in (2, 8):
        size = 256 << 20
        least = 2 * (ranks - 1) / ranks * size * beta
        assert least <= ring(ranks, size, alpha, [beta] * ranks) <= 1.5 * least + 1e4 * alpha, ranks
        steps = 2 * (ranks.bit_length() - 1)
        assert math.isclose(halves(ranks, size, alpha, [beta] * ranks), least + steps * alpha), ranks
    assert math.isclose(ring(4, 4, alpha, [0.0] * 4), 6 * alpha), "of no bytes only the messages count"
    table = "".join(tables(alpha, beta, options.slow, network))
    if not options.write and not options.check:
        return print(table, end="")
    begin, end = "<!-- simulated -->\n", "<!-- /simulated -->"
    page = PAGE.read_text()
    named = (f"of up to {LITTLE} KiB for each rank", f"of one element on up to {SHORT_RING} ranks")
    missing = [text for text in named if text not in page]
    if missing:
        sys.exit(f"{PAGE.name} does not say: {missing}")
    written = page[:page.index(begin) + len(begin)] + table + page[page.index(end):]
    if options.write:
        PAGE.write_text(written)
    elif written != page:
        sys.exit(f"{PAGE.name} is not up to date: run simulate.py --write")


if __name__ == "__main__":
    main()

"""One row of the table: Aclimb and its peers on one case, taking turns."""

import os
import statistics
import time

from limit import limit_ns, limits_now, probe_of
from process import Failure, pinned_cores, say

# A processor that others use too changes its speed for a second or so: both sides of a pair have to
# fall into the same one, so turns are short and many.
TURN_NS = 25e6
# The first estimates, which say who takes part in the turns.
SCREEN_NS = 100e6
QUICK_SCREEN_NS = 20e6
# A row has as many turns as this time has room for, and LEAST_TURNS at least.
ROW_NS = 8e9
LEAST_TURNS = 5
# A turn that the host took more than this share from is taken again, up to twice as many in all.
MOST_STOLEN = 0.02
# Peers this close to the fastest take part in the turns.
CONTENDER = 1.2
# Those within this are estimated more than once.
AGAIN = 3
# Below this a peer that is called from Python is left out if one called from C++ is there.
SHORT_NS = 10e3

# A variant whose first run takes longer than this, and ten times what another needs, is left out.
HOPELESS_NS = 1e9


def runs_for(nanoseconds, turn):
    return max(1, min(1000000, round(turn / max(nanoseconds, 1))))


def turn_of(process, variant, runs):
    return statistics.median(process.ask("run", runs, variant)["ns"])


def middle_half(values):
    """The first and the third quartile."""
    if len(values) < 2:
        return [values[0], values[0]]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return [low, high]


def estimate(process, variant, budget):
    """Nanoseconds a run, roughly, after warming up."""
    once = turn_of(process, variant, 1)
    if once < budget:
        once = turn_of(process, variant, runs_for(once, budget / 4))
        once = turn_of(process, variant, runs_for(once, budget / 2))
    return once


def screen(peers, case, budget):
    """Opens the case in every peer, keeps the fast ones.

    Returns [(process, variant, estimate)], notes.
    """
    found, notes = [], []
    for peer in peers:
        try:
            answer = peer.open(case)
            if "none" in answer:
                notes.append(f"{peer.name}: {answer['none']}")
                continue
            first = answer.get("first_ns", {})
            for variant in answer["variants"]:
                best = min((entry[2] for entry in found), default=float("inf"))
                if first.get(variant, 0) > max(HOPELESS_NS, 10 * best):
                    continue
                found.append((peer, variant, estimate(peer, variant, budget)))
        except Failure as failure:
            notes.append(f"{peer.name}: {failure}")
    # The least of three, for who was estimated while the host was busy.
    for _ in range(2):
        best = min((entry[2] for entry in found), default=0)
        found = [(peer, variant, min(nanoseconds, estimate(peer, variant, budget / 2))
                  if nanoseconds < AGAIN * best else nanoseconds)
                 for peer, variant, nanoseconds in found]
    if found:
        best = min(entry[2] for entry in found)
        if best < SHORT_NS and any(entry[0].name == "libtorch" for entry in found):
            found = [entry for entry in found if entry[0].name == "libtorch"]
            best = min(entry[2] for entry in found)
        found = [entry for entry in found if entry[2] <= CONTENDER * best]
    used = {entry[0].name for entry in found}
    for peer in peers:
        if peer.name not in used:
            peer.close()
    return found, notes


def one_turn(process, variant, nanoseconds):
    """Nanoseconds a run, in one turn."""
    # The other process had the caches: a first run, if it is short, does not count.
    if nanoseconds < SCREEN_NS:
        process.ask("run", 1, variant)
    return turn_of(process, variant, runs_for(nanoseconds, TURN_NS))


def stolen_seconds(threads):
    """Processor time that a virtual machine's host gave to others, on the cores that are used. It
    counts in steps of 10 ms."""
    cores = {f"cpu{core}" for core in pinned_cores(threads)}
    with open("/proc/stat") as file:
        fields = (line.split() for line in file)
        ticks = sum(int(each[8]) for each in fields if each and each[0] in cores)
    return ticks / os.sysconf("SC_CLK_TCK")


def cost_of_determinism(aclimb, own):
    """Time under ACL_OPT_DETERMINISTIC relative to the time without."""
    ratios = []
    for _ in range(5):
        times = {}
        for switch in ("on", "off"):
            aclimb.ask("deterministic", switch)
            aclimb.ask("run", 1)
            times[switch] = turn_of(aclimb, "aclimb", runs_for(own, TURN_NS))
        ratios.append(times["on"] / times["off"])
    return statistics.median(ratios)


def peak_memory(process, case, variant):
    """Bytes that a run has in memory at most: operands, results and scratch, in a process of its
    own beyond what that has when its libraries are loaded. None where that cannot be told."""
    try:
        fresh = process.fresh()
    except Failure:
        return None
    try:
        libraries = fresh.resident()
        fresh.open(case)
        fresh.forget_peak()
        fresh.ask("run", 1, variant)
        return max(1, fresh.resident("VmHWM") - libraries)
    except (Failure, OSError, StopIteration) as problem:
        say(f"  memory of {process.name}: {problem!r}")
        return None
    finally:
        fresh.stop()


def measure(aclimb, peers, probe, case, limits, turns, quick=False, memory=True):
    """The row, as a dictionary, from at most so many turns. probe(name) answers how fast that is at
    this moment. Peak memory takes processes of its own, which start for half of a row's time."""
    row = {key: case[key] for key in ("operator", "case", "dtype", "parameters", "read_bytes",
                                      "write_bytes", "zero_bytes", "flops")}
    row["family"] = case["parameters"]["family"]
    row["threads"] = limits["threads"]
    try:
        take_turns(aclimb, peers, probe, case, limits, turns,
                   QUICK_SCREEN_NS if quick else SCREEN_NS, memory, row)
    except Failure as failure:
        row["failed"] = str(failure)
        say(f"  FAILED {failure}")
    for process in (aclimb, *peers):
        try:
            process.close()
        except Failure as failure:
            say(f"  {failure}")
    return row


def take_turns(aclimb, peers, probe, case, limits, turns, budget, memory, row):
    contenders, row["notes"] = screen(peers, case, budget)
    opened = aclimb.open(case)
    own = estimate(aclimb, "aclimb", budget)
    probed_name = probe_of(case, limits)
    processes = [(aclimb, "aclimb", own), *contenders]
    turn_ns = sum(max(nanoseconds, TURN_NS) for _, _, nanoseconds in processes)
    turns = min(turns, max(LEAST_TURNS, round(ROW_NS / turn_ns)))
    taken, probes = [], []
    row.update(turns=turns, disturbed=0)
    while len(taken) < turns:
        began, stolen = time.monotonic(), stolen_seconds(limits["threads"])
        probed = [probe(probed_name)] if probed_name else []
        # There and back, so that no one always follows the same one.
        backwards = len(taken) % 2 == 1
        turn = [one_turn(*each) for each in (processes[::-1] if backwards else processes)]
        if backwards:
            turn.reverse()
        lost = (stolen_seconds(limits["threads"]) - stolen) / limits["threads"]
        if lost > MOST_STOLEN * (time.monotonic() - began) and row["disturbed"] < turns:
            row["disturbed"] += 1
            continue
        taken.append(turn)
        probes += probed
    times, *peer_times = ([turn[index] for turn in taken] for index in range(len(processes)))
    row["phases"] = aclimb.ask("phases", runs_for(own, TURN_NS))
    row["deterministic"] = cost_of_determinism(aclimb, own)
    row.update(ns=statistics.median(times), all_ns=times, workspace=opened["workspace"])
    if probes:
        row.update(probe=statistics.median(probes), probe_range=[min(probes), max(probes)])
        limits = limits_now(limits, probed_name, row["probe"])
    nanoseconds, row["limit"] = limit_ns(case, limits)
    row.update(limit_ns=nanoseconds, share=nanoseconds / row["ns"],
               memory=peak_memory(aclimb, case, "aclimb") if memory else None)
    if contenders:
        index = min(range(len(contenders)), key=lambda i: statistics.median(peer_times[i]))
        peer, variant, _ = contenders[index]
        ratios = [theirs / ours for theirs, ours in zip(peer_times[index], times)]
        row.update(peer=f"{peer.name}: {variant.replace('~', ' ')}",
                   peer_ns=statistics.median(peer_times[index]), peer_all_ns=peer_times[index],
                   peer_memory=peak_memory(peer, case, variant) if memory else None,
                   ratio=statistics.median(ratios), ratio_range=middle_half(ratios))

"""One row of the table: Aclimb and its peers on one case, taking turns."""

import statistics

from limit import level_of, limit_ns
from process import Failure, say

TURN_NS = 100e6
QUICK_TURN_NS = 20e6
# Peers this close to the fastest take part in the turns.
CONTENDER = 1.15
# Below this a peer that is called from Python is left out if one called from C++ is there.
SHORT_NS = 10e3

# A variant whose first run takes longer than this, and ten times what another needs, is left out.
HOPELESS_NS = 1e9


def runs_for(nanoseconds, turn):
    return max(1, min(1000000, round(turn / max(nanoseconds, 1))))


def turn_of(process, variant, runs):
    return statistics.median(process.ask("run", runs, variant)["ns"])


def estimate(process, variant, budget):
    """Nanoseconds a run, roughly, after warming up."""
    once = turn_of(process, variant, 1)
    if once < budget:
        once = turn_of(process, variant, runs_for(once, budget / 4))
        once = turn_of(process, variant, runs_for(once, budget / 2))
    return once


def screen(peers, case, turn):
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
                found.append((peer, variant, estimate(peer, variant, turn)))
        except Failure as failure:
            notes.append(f"{peer.name}: {failure}")
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


def cost_of_determinism(aclimb, own, budget):
    """Time under ACL_OPT_DETERMINISTIC relative to the time without."""
    ratios = []
    for _ in range(3):
        times = {}
        for switch in ("on", "off"):
            aclimb.ask("deterministic", switch)
            aclimb.ask("run", 1)
            times[switch] = turn_of(aclimb, "aclimb", runs_for(own, budget))
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


def measure(aclimb, peers, probe, case, limits, turns, quick=False):
    """The row, as a dictionary. probe() answers the memory's copy speed of this moment."""
    row = {key: case[key] for key in ("operator", "case", "dtype", "parameters", "read_bytes",
                                      "write_bytes", "zero_bytes", "flops")}
    row["threads"] = limits["threads"]
    try:
        turn = QUICK_TURN_NS if quick else TURN_NS
        take_turns(aclimb, peers, probe, case, limits, turns, turn, row)
    except Failure as failure:
        row["failed"] = str(failure)
        say(f"  FAILED {failure}")
    for process in (aclimb, *peers):
        try:
            process.close()
        except Failure as failure:
            say(f"  {failure}")
    return row


def take_turns(aclimb, peers, probe, case, limits, turns, turn, row):
    contenders, row["notes"] = screen(peers, case, turn)
    opened = aclimb.open(case)
    own = estimate(aclimb, "aclimb", turn)
    in_memory = level_of(case, limits) == "DRAM"
    times, probes = [], []
    peer_times = [[] for _ in contenders]
    for _ in range(turns):
        if in_memory:
            probes.append(probe())
        for index in range(-1, len(contenders)):
            process, variant, nanoseconds = ((aclimb, "aclimb", own) if index < 0
                                             else contenders[index])
            # The other process had the caches: a first run, if it is short, does not count.
            if nanoseconds < turn:
                process.ask("run", 1, variant)
            value = turn_of(process, variant, runs_for(nanoseconds, turn))
            (times if index < 0 else peer_times[index]).append(value)
    row["phases"] = aclimb.ask("phases", runs_for(own, turn / 4))
    row["deterministic"] = cost_of_determinism(aclimb, own, turn / 4)
    row.update(ns=statistics.median(times), all_ns=times, workspace=opened["workspace"])
    scale = 1.0
    if probes:
        row.update(probe=statistics.median(probes), probe_range=[min(probes), max(probes)])
        scale = row["probe"] / limits["DRAM"]["copy_nt"]
    nanoseconds, row["limit"] = limit_ns(case, limits, scale)
    row.update(limit_ns=nanoseconds, share=nanoseconds / row["ns"],
               memory=peak_memory(aclimb, case, "aclimb"))
    if contenders:
        index = min(range(len(contenders)), key=lambda i: statistics.median(peer_times[i]))
        peer, variant, _ = contenders[index]
        ratios = [theirs / ours for theirs, ours in zip(peer_times[index], times)]
        row.update(peer=f"{peer.name}: {variant.replace('~', ' ')}",
                   peer_ns=statistics.median(peer_times[index]), peer_all_ns=peer_times[index],
                   peer_memory=peak_memory(peer, case, variant),
                   ratio=statistics.median(ratios), ratio_range=[min(ratios), max(ratios)])

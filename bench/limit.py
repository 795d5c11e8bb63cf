"""How fast a case can be on this machine: a model over what aclimb_limits measured."""

PRECISIONS = {"bfloat16": ("gemm_bf16", "gemm_f32")}


def level_of(case, limits):
    """Where the case's tensors live from run to run."""
    footprint = case["read_bytes"] + case["write_bytes"]
    if footprint <= 0.75 * limits["l2_bytes"] * limits["threads"] and "L2" in limits:
        return "L2"
    if footprint <= 0.75 * limits["l3_bytes"] and "L3" in limits:
        return "L3"
    return "DRAM"


def memory_ns(case, limits, level):
    """Reads and writes in the mix of the fastest loops: triads and copies first, then the rest."""
    speed = dict(limits[level])  # GB/s: bytes a ns
    for name in ("write", "copy", "triad"):
        speed[name] = max(speed[name], speed[name + "_nt"])
    read, zero = case["read_bytes"], case["zero_bytes"]
    write = case["write_bytes"] - zero
    time = zero / speed.get("zero_fill", speed["write"])
    if read >= 2 * write:
        return time + 3 * write / speed["triad"] + (read - 2 * write) / speed["read"]
    if read >= write:
        triads, copies = read - write, 2 * write - read
        return time + 3 * triads / speed["triad"] + 2 * copies / speed["copy"]
    return time + 2 * read / speed["copy"] + (write - read) / speed["write"]


def arithmetic_of(case, limits):
    """The name of the fastest arithmetic that serves the case's dtype."""
    return max(PRECISIONS.get(case["dtype"], ("gemm_f32",)), key=lambda name: limits[name])


def limit_ns(case, limits):
    """(nanoseconds that the case takes at least, which limit that is)"""
    level = level_of(case, limits)
    memory = memory_ns(case, limits, level)
    arithmetic = case["flops"] / limits[arithmetic_of(case, limits)]
    return (arithmetic, "FMA") if arithmetic > memory else (memory, level)


def probe_of(case, limits):
    """What aclimb_limits can measure again beside the case's turns, or None: what limits the case
    changes with the load of a shared machine. A cache is too quick to probe."""
    _, limit = limit_ns(case, limits)
    return {"FMA": arithmetic_of(case, limits), "DRAM": "copy_nt"}.get(limit)


def limits_now(limits, name, speed):
    """The limits when a probe of that name measures this speed."""
    if name != "copy_nt":
        return {**limits, name: speed}
    scale = speed / limits["DRAM"][name]
    return {**limits, "DRAM": {each: value * scale for each, value in limits["DRAM"].items()}}

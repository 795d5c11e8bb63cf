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


def memory_ns(case, limits, level, scale=1.0):
    """Reads and writes in the mix of the fastest loops: triads and copies first, then what is left.

    scale is the memory's speed now over its speed when the limits were measured.
    """
    speed = {name: value * scale for name, value in limits[level].items()}  # GB/s: bytes a ns
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


def limit_ns(case, limits, scale=1.0):
    """(nanoseconds that the case takes at least, which limit that is)"""
    level = level_of(case, limits)
    memory = memory_ns(case, limits, level, scale if level == "DRAM" else 1.0)
    if not case["flops"]:
        return memory, level
    peak = max(limits[name] for name in PRECISIONS.get(case["dtype"], ("gemm_f32",)))
    arithmetic = case["flops"] / peak
    return (arithmetic, "FMA") if arithmetic > memory else (memory, level)

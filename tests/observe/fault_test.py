"""Calls and tasks fail as ordered, with their code and a message; nothing else does."""

import os
import subprocess
import sys

from programs import OPERATORS, expect, run

# The second allocation, by number and by name.
for code in ("207001", "ACL_ERROR_RT_MEMORY_ALLOCATION"):
    program = run("elu_backward", ACLIMB_FAULT=f"aclrtMalloc:2={code}")
    text = program.stdout + program.stderr
    expect(program.returncode != 0, "aclrtMalloc:2 does not fail the example")
    expect("207001" in text, "the code is missing in", text)
    expect("call 2 fails because ACLIMB_FAULT says so" in text, "no reason in", text)

# An operator fails in phase 1, in phase 2, and on the stream.
for operator, function in OPERATORS.items():
    for where, code in ((function + "GetWorkspaceSize", 161002), (function, 361001)):
        program = run(operator, ACLIMB_FAULT=f"{where}:1={code}")
        expect(program.returncode != 0, where, "does not fail")
        expect(str(code) in program.stdout + program.stderr, where, "without its code")
    program = run(operator, ACLIMB_FAULT=f"{function}@run:1=507015")
    expect(program.returncode != 0, function, "does not fail on the stream")
    expect("507015" in program.stdout + program.stderr, function, "fails with another code")

# A call that waits for its own task returns the task's code, and tells of the task.
program = run("elu_backward", ACLIMB_FAULT="aclnnEluBackward@run:1=507015",
              ASCEND_LAUNCH_BLOCKING="1")
text = program.stdout + program.stderr
expect("361001" in text and "(aclnnEluBackward)" in text and "expected it to succeed" in text, text)
expect("fix: look at the arguments of task " in text and "aclrtSetDevice" not in text, text)

# So does a copy of pageable memory, and nobody returns the code again.
copies = subprocess.run([sys.argv[2]], env={**os.environ,
                                            "ACLIMB_FAULT": "aclrtMemcpyAsync@run:1=507899"},
                        capture_output=True, text=True, timeout=60)
expect(copies.returncode == 0 and copies.stderr == "", copies)
first, second = copies.stdout.split("data ", 1)
expect(first.startswith("copy 507899\n") and first.endswith("synchronize 0\n"), first)
expect("(copy of pageable memory)" in first and "aborted" not in first, first)
expect(second == "1\ncopy 0\n\nsynchronize 0\ndata 7\n", second)

# Orders that never come due change nothing.
for order in ("aclrtMalloc:1000000=207001", "aclrtNoSuchFunction:1+=1", "*@run:p0.000001/3=507015"):
    program = run("elu_backward", ACLIMB_FAULT=order)
    expect(program.returncode == 0, order, "fails the example")
    expect(("was never called" in program.stderr) == ("NoSuchFunction" in order), order,
           program.stderr)
    expect(("times, not 1000000" in program.stderr) == ("1000000=" in order),
           order, program.stderr)

# What cannot fail is not told as what never ran.
program = run("elu_backward", ACLIMB_FAULT="aclrtCreateStream@run:1=507015")
expect("aclrtCreateStream queued no operator, copy or fill that ran.\n" in program.stderr, program.stderr)

# A probability draws the same calls again with the same seed.
first = run("elu_backward", ACLIMB_FAULT="*:p0.2/5=500000")
again = run("elu_backward", ACLIMB_FAULT="*:p0.2/5=500000")
expect(first.returncode != 0 and (first.returncode, first.stdout) ==
       (again.returncode, again.stdout), "the same seed fails other calls")
named = run("elu_backward", ACLIMB_FAULT="*:p0.2=500000", ACLIMB_FAULT_SEED="5")
expect((named.returncode, named.stdout) == (first.returncode, first.stdout),
       "ACLIMB_FAULT_SEED is another seed than that of the order")
own = run("elu_backward", ACLIMB_FAULT="*:p0.2/5=500000", ACLIMB_FAULT_SEED="6")
expect((own.returncode, own.stdout) == (first.returncode, first.stdout),
       "an order's own seed does not win")
others = {run("elu_backward", ACLIMB_FAULT=f"*:p0.2/{seed}=500000").stdout
          for seed in range(6, 16)}
expect(len(others | {first.stdout}) > 1, "the seed decides nothing")
program = run("elu_backward", ACLIMB_FAULT="*@run:p1=507015")
expect(program.returncode != 0 and "507015" in program.stdout + program.stderr,
       "a probability of 1 does not fail what runs")

# A wrong order is told, and fails nothing.
for order in ("aclrtMalloc", "aclrtMalloc:0=1", "aclrtMalloc:1=nothing", "aclrtMalloc:p2=1", ":1=2"):
    program = run("elu_backward", ACLIMB_FAULT=order)
    expect(program.returncode == 0 and "ACLIMB_FAULT has" in program.stderr, order, program.stderr)

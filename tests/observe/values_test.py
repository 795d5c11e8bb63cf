"""A wrong value of a tool's variable is told in one line on stderr, once, and nothing else changes."""

from programs import expect, run

# Variable -> a wrong value, the part of it that is told, what is expected, and what follows.
WRONG = {
    "ACLIMB_FAULT": ("aclrtMalloc:2=207001,aclrtFree:0=1", "aclrtFree:0=1", "a number from 1",
                     "No call will fail"),
    "ACLIMB_FAULT_SEED": ("-7", "-7", "a number", "No call will fail"),
    "ACLIMB_CHECK": ("1,yes", "yes", "0, or a comma list of 1, nan and all", "Nothing is checked"),
    "ACLIMB_CHECK_EXIT": ("256", "256", "0 to 255", "stays"),
    "ACLIMB_MUTE": ("check/memory/double,check/nothing", "check/memory/double", "check/leak",
                    "explain --list"),
    "ACLIMB_FORCE": ("yes", "yes", "0 or 1", "kept"),
    "ACLIMB_RECORD": ("/no/such/folder/calls", "/no/such/folder/calls", "a folder that can be made",
                      "Make its folder"),
    "ACLIMB_RECORD_LIMIT": ("64 apples", "64 apples", "bytes, or a number with K", "64 MiB"),
    "ACLIMB_TRACE": ("/no/such/folder/trace.json", "/no/such/folder/trace.json",
                     "a file that can be written", "Make its folder"),
}


def check_line(line, variable):
    _, part, expected, effect = WRONG[variable]
    for text in (f"aclimb: {variable} ", f'"{part}"; expected ', expected, effect):
        expect(text in line, variable, "is told as", line)
    # What to do.
    expect(any(word in line.lower() for word in ("correct it", "make its folder")), variable,
           "without a remedy:", line)


usual = run("elu_backward").stdout
expect(usual != "", "the example prints nothing")
for variable, (value, *_) in WRONG.items():
    program = run("elu_backward", **{variable: value})
    expect(program.returncode == 0 and program.stdout == usual, variable, program.returncode)
    lines = program.stderr.splitlines()
    expect(len(lines) == 1, variable, "is told as", lines)
    check_line(lines[0], variable)

program = run("elu_backward", **{variable: value for variable, (value, *_) in WRONG.items()})
expect(program.returncode == 0 and program.stdout == usual, program.stdout)
lines = program.stderr.splitlines()
expect(len(lines) == len(WRONG), "all at once are told as", lines)
for variable in WRONG:
    check_line(next((line for line in lines if line.startswith(f"aclimb: {variable} ")), ""),
               variable)

# Good values say nothing.
program = run("elu_backward", ACLIMB_FAULT="aclrtMalloc:p0.000001=207001", ACLIMB_FAULT_SEED="3",
              ACLIMB_CHECK="1", ACLIMB_CHECK_EXIT="1", ACLIMB_MUTE="check/leak,check/memory/slack",
              ACLIMB_FORCE="0")
expect(program.returncode == 0 and program.stderr == "", program.stderr)

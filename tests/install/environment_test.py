"""set_env.sh in one shell, by every name it has.

  environment_test.py <shell> <staged prefix>
"""

import os
import sys

from toolkit import Failure, Toolkit, expect, main, run

# What changes by itself from call to call.
NOISE = {"_", "SHLVL", "PWD", "OLDPWD", "LOGNAME", "HOME"}


def environment(shell, code, script, start):
    text = run([shell, "-euc", code + "; exec env -0", shell, script], env=start, cwd="/")
    values = dict(entry.split("=", 1) for entry in text.split("\0") if entry)
    return {name: value for name, value in values.items() if name not in NOISE}


def check_shell(shell, prefix):
    toolkit = Toolkit(prefix)
    root = str(toolkit.root.resolve())
    start = {"PATH": os.environ["PATH"]}
    once = '. "$1"'
    expected = {
        "ASCEND_TOOLKIT_HOME": root,
        "ASCEND_HOME_PATH": root,
        "ASCEND_AICPU_PATH": root,
        "ASCEND_OPP_PATH": root + "/opp",
        "TOOLCHAIN_HOME": root + "/toolkit",
        "LD_LIBRARY_PATH": root + "/lib64",
        "PATH": root + "/bin:" + start["PATH"],
    }
    for name, script in {
        "root": toolkit.root / "set_env.sh",
        "older root": toolkit.older_root / "set_env.sh",
        "older place": toolkit.prefix / "ascend-toolkit" / "set_env.sh",
        "setenv.bash": toolkit.root / "bin" / "setenv.bash",
    }.items():
        found = environment(shell, once, script, start)
        expect(found == expected, f"{name}: {found}, expected {expected}")
        # A second time, from a function, in a subshell's child: the same.
        twice = environment(shell, '. "$1"; f() { . "$1"; }; f "$1"', script, start)
        expect(twice == expected, f"{name}, twice: {twice}")

    # What the user has stays, in its order, behind ours; an empty entry does not appear.
    busy = dict(start, LD_LIBRARY_PATH=f"/mine:{root}/lib64::/other")
    found = environment(shell, once, toolkit.root / "set_env.sh", busy)["LD_LIBRARY_PATH"]
    expect(found == f"{root}/lib64:/mine:/other", found)

    # Nothing of the script itself stays behind.
    left = run([shell, "-euc", '. "$1"; set', shell, toolkit.root / "set_env.sh"], env=start)
    names = [line for line in left.splitlines() if line.startswith("_aclimb")]
    expect(not names, f"left behind: {names}")

    # A copy that belongs to no toolkit says so and fails.
    stray = toolkit.prefix.parent / f"stray-{shell}" / "set_env.sh"
    stray.parent.mkdir(exist_ok=True)
    stray.write_text((toolkit.root / "set_env.sh").read_text())
    try:
        run([shell, "-euc", '. "$1"', shell, stray], env=start)
    except Failure as failure:
        expect("cannot find the toolkit" in str(failure), failure)
    else:
        raise Failure("a copy outside a toolkit succeeded")


if __name__ == "__main__":
    shell = sys.argv[1]
    sys.exit(main({shell: lambda prefix: check_shell(shell, prefix)}))

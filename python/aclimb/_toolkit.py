"""Where the toolkit is, and how the running process comes to use it."""

import ctypes
import functools
import os
import pathlib
import sys


@functools.lru_cache(maxsize=None)
def root() -> pathlib.Path:
    """The toolkit's root: that of the environment when it is Aclimb's, else the one in the wheel."""
    named = os.environ.get("ASCEND_TOOLKIT_HOME")
    if named and pathlib.Path(named, "bin", "aclimb").exists():
        return pathlib.Path(named).resolve()
    packaged = pathlib.Path(__file__).resolve().parent / "toolkit"
    if not (packaged / "lib64" / "libascendcl.so").exists():
        raise RuntimeError(
            f"{packaged} has no toolkit, and ASCEND_TOOLKIT_HOME names none of Aclimb's. "
            "Install the wheel (pip install .), or source the set_env.sh of an installed toolkit.")
    return packaged


def _loaded(name: str):
    """The file from which this process has a library of that name."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            fields = line.rstrip("\n").split(None, 5)
            if len(fields) == 6 and os.path.basename(fields[5]) == name:
                return pathlib.Path(fields[5])
    return None


@functools.lru_cache(maxsize=None)
def library(name: str) -> ctypes.CDLL:
    """A library of the toolkit, which no other toolkit's may precede in the process."""
    place = root() / "lib64" / name
    loaded = _loaded("libascendcl.so")
    if loaded is not None and loaded.resolve() != (root() / "lib64" / "libascendcl.so").resolve():
        raise RuntimeError(
            f"this process already runs with {loaded}, the library of another toolkit. Start Python "
            "without that toolkit's directory in LD_LIBRARY_PATH, and call aclimb.activate() before "
            "`import torch`, which loads torch_npu by itself.")
    return ctypes.CDLL(str(place), ctypes.RTLD_GLOBAL)


def _prepend(variable: str, directory: pathlib.Path) -> None:
    rest = [entry for entry in os.environ.get(variable, "").split(os.pathsep)
            if entry and entry != str(directory)]
    os.environ[variable] = os.pathsep.join([str(directory)] + rest)


def activate() -> None:
    """Does in the running process what set_env.sh does in a shell.

    Call it before `import torch`: PyTorch loads an installed torch_npu by itself, which needs the
    toolkit's libraries at that moment. Programs that this process starts find the toolkit too.
    """
    here = root()
    # The loader looked at LD_LIBRARY_PATH when the process began. What is loaded already it takes
    # for every library that needs a name of it.
    for file in sorted((here / "lib64").glob("lib*.so")):
        library(file.name)
    for variable in ("ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH", "ASCEND_AICPU_PATH"):
        os.environ[variable] = str(here)
    os.environ["ASCEND_OPP_PATH"] = str(here / "opp")
    os.environ["TOOLCHAIN_HOME"] = str(here / "toolkit")
    _prepend("LD_LIBRARY_PATH", here / "lib64")
    _prepend("PATH", here / "bin")


def main() -> None:
    """The command `aclimb`: the program of the toolkit."""
    program = str(root() / "bin" / "aclimb")
    os.execv(program, [program] + sys.argv[1:])

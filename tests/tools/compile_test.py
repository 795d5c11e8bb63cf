"""aclimb c++, and the installed tool in a tree that was moved.

  compile_test.py <tool> <source folder> <staged prefix> <folder> <compiler> <example>...
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys

from tool import CLEAN, Tool, expect, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "install"))
from toolkit import Toolkit  # noqa: E402


class Place:
    def __init__(self, source, prefix, folder, compiler):
        self.source = pathlib.Path(source)
        self.toolkit = Toolkit(prefix)
        self.root = self.toolkit.root.resolve()
        self.installed = Tool(str(self.toolkit.root / "bin" / "aclimb"))
        self.folder = pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.compiler = dict(CXX=compiler)


def run(*words, env):
    return subprocess.run([str(w) for w in words], env=env, capture_output=True, text=True)


def show(tool, source, prefix, folder, compiler, *names):
    place = Place(source, prefix, folder, compiler)
    root = place.root
    link = [f"-L{root}/lib64", "-lascendcl", "-lnnopbase", "-lopapi", "-Wl,--push-state,--as-needed", "-lhccl",
            "-Wl,--pop-state", f"-Wl,-rpath,{root}/lib64"]
    include = [f"-I{root}/include", f"-I{root}/include/aclnn"]
    show_ = lambda *words, **s: shlex.split(place.installed.output("c++", "--show", *words, **s))
    expect(show_("a.cpp", "-o", "a") == ["g++", "a.cpp", "-o", "a", *include, *link], "plain")
    expect(show_("-c", "a.cpp") == ["g++", "-c", "a.cpp", *include], "-c links")
    expect(show_("a b.cpp", "-DX='y'") == ["g++", "a b.cpp", "-DX='y'", *include, *link], "quotes")
    expect(show_("a.cpp", CXX="ccache clang++")[:3] == ["ccache", "clang++", "a.cpp"], "CXX")
    expect(show_() == ["g++", *include, *link], "no words")


def examples(tool, source, prefix, folder, compiler, *names):
    """One call builds each example, and the program runs with an empty environment."""
    place = Place(source, prefix, folder, compiler)
    for name in names:
        program = place.folder / name
        place.installed.output(
            "c++", "-Wall", "-Wextra", "-Werror", place.source / "examples" / f"{name}.cpp",
            "-o", program, **place.compiler)
        result = run(program, env={})
        expect(result.returncode == 0 and "PASS" in result.stdout, f"{name}: {result}")
        result = place.installed.call("run", "--threads", "1", program)
        expect(result.returncode == 0 and "PASS" in result.stdout, f"{name}: {result}")


def two_steps(tool, source, prefix, folder, compiler, *names):
    place = Place(source, prefix, folder, compiler)
    example = place.source / "examples" / "elu_backward.cpp"
    place.installed.output("c++", "-c", example, "-o", place.folder / "elu.o", **place.compiler)
    place.installed.output("c++", place.folder / "elu.o", "-o", place.folder / "elu",
                           **place.compiler)
    expect(run(place.folder / "elu", env={}).returncode == 0, "compiled in two steps")


def in_the_build_folder(tool, source, prefix, folder, compiler, *names):
    """Headers of the sources, and those that the build generates."""
    place = Place(source, prefix, folder, compiler)
    text, program = place.folder / "built.cpp", place.folder / "built"
    text.write_text(
        '#include "acl/acl.h"\n#include "aclnnop/aclnn_add.h"\n#include "aclnnop/aclnn_elu_backward.h"\n'
        "int main() {\n  void* volatile uses = reinterpret_cast<void*>(&aclnnAdd);\n"
        "  uses = reinterpret_cast<void*>(&aclnnEluBackward);\n"
        "  return aclInit(nullptr) + (uses == nullptr);\n}\n")
    tool.output("c++", text, "-o", program, **place.compiler)
    expect(run(program, env={}).returncode == 0, "a program against the build folder")


def compiler_status(tool, source, prefix, folder, compiler, *names):
    place = Place(source, prefix, folder, compiler)
    bad = place.folder / "bad.cpp"
    bad.write_text('#include "acl/acl.h"\nint main() { return aclNoSuchFunction(); }\n')
    place.installed.refused("c++", bad, "-o", place.folder / "bad", status=1,
                            said="aclNoSuchFunction", **place.compiler)
    place.installed.refused("c++", bad, status=127, said="no such program", CXX="no-such-compiler")
    # The compiler's own options are passed on, whatever they are called.
    text = place.installed.output("c++", "-E", "-dM", "-x", "c++", "/dev/null", **place.compiler)
    expect("#define __cplusplus" in text, "the compiler's options are not its own")


def same_as_set_env(tool, source, prefix, folder, compiler, *names):
    place = Place(source, prefix, folder, compiler)
    start = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    result = place.installed.call("run", "env", "-0", env=start)
    found = dict(entry.split("=", 1) for entry in result.stdout.split("\0") if entry)
    sourced = place.toolkit.sourced()
    # The list at exit is for programs that the tool started.
    expect(found.pop("ACLIMB_MISSING", None) == "1", "ACLIMB_MISSING")
    for name in {*found, *sourced} - {"_", "PWD", "SHLVL", "OLDPWD"}:
        expect(found.get(name) == sourced.get(name),
               f"{name}: run gives {found.get(name)}, set_env.sh {sourced.get(name)}")
    # With set_env.sh the tool is found by its name.
    result = run("sh", "-c", "aclimb --version", env=sourced)
    expect(result.returncode == 0 and result.stdout.startswith("aclimb "), result)


def installed_files(tool, source, prefix, folder, compiler, *names):
    place = Place(source, prefix, folder, compiler)
    script = place.root / "share" / "bash-completion" / "completions" / "aclimb"
    expect(script.read_text() == place.installed.output("completion", "bash"), "completion")
    needed = run("readelf", "-d", place.root / "bin" / "aclimb", env=CLEAN).stdout
    for library in ("libfmt", "libdnnl", "libgomp"):
        expect(library not in needed, f"the tool needs {library}")
    place.installed.output("info")


if __name__ == "__main__":
    main(show, examples, two_steps, in_the_build_folder, compiler_status, same_as_set_env,
         installed_files)

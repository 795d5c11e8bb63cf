"""Programs built against the installed toolkit in the ways that clients build them, and run.

  programs_test.py <way> <staged prefix> <source folder> <work folder> <compiler> <example>...
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from toolkit import Toolkit, check_output, expect, main, programs, run

BASE = ["-lascendcl", "-lnnopbase"]


class Job:
    """One way of building: an empty folder, the compiler, the programs."""

    def __init__(self, prefix, source, work, compiler, *examples):
        self.toolkit = Toolkit(prefix)
        self.source = pathlib.Path(source)
        self.work = pathlib.Path(work)
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.compiler = compiler
        self.programs = programs(source, self.work / "samples", examples)

    def compile(self, source, *options, compiler=None):
        """One compiler line; the program's path. Warnings fail: they go to stderr."""
        program = self.work / pathlib.Path(source).stem
        root = self.toolkit.root
        run([compiler or self.compiler, source, "-o", program, f"-I{root}/include",
             f"-L{root}/lib64", *options])
        return program

    def check_all(self, options, *environments, built=None):
        """Compiles each program once, but for the examples that stand in the folder `built`, and runs it
        in each of the environments."""
        for name, (source, is_sample) in self.programs.items():
            compiled = built is None or is_sample
            program = self.compile(source, *options) if compiled else built / name
            for env in environments:
                check_output(name, run([program], env=env), is_sample)
        print(f"{len(self.programs)} programs,", self.origin())

    def origin(self):
        samples = sum(is_sample for _, is_sample in self.programs.values())
        return f"{samples} of them the documents' samples"


def cmake_project(root_name, *lists):
    """The official sample's CMake file, with one of the two root names. A second list of libraries is
    for the same build folder, where it links the objects that are there anew."""

    def test(*arguments):
        job = Job(*arguments)
        root = {"cann": job.toolkit.root, "latest": job.toolkit.older_root}[root_name]
        script = {
            "cann": root / "set_env.sh",
            "latest": job.toolkit.prefix / "ascend-toolkit" / "set_env.sh",
        }[root_name]
        env = dict(job.toolkit.sourced(script), ASCEND_CUSTOM_PATH=str(root))
        for libraries in lists:
            build_and_check(job, env, libraries)
        print(f"{len(job.programs)} programs,", job.origin())

    return test


def build_and_check(job, env, libraries):
    sources = ";".join(str(path) for path, _ in job.programs.values())
    build = job.work / "build"
    shutil.rmtree(build / "bin", ignore_errors=True)
    run(["cmake", "-S", job.source / "tests/install/project", "-B", build,
         f"-DCMAKE_CXX_COMPILER={job.compiler}", "-DCMAKE_SKIP_RPATH=TRUE",
         "-DCMAKE_BUILD_TYPE=Release", f"-DPROGRAMS={sources}", f"-DLIBRARIES={libraries}"],
        env=env)
    run(["cmake", "--build", build], env=env)
    for name, (_, is_sample) in job.programs.items():
        program = build / "bin" / name
        check_output(name, run([program], env=env), is_sample)
        # Without a SONAME the linker would record the absolute path.
        dynamic = run(["readelf", "-d", program])
        expect("(NEEDED)" in dynamic and "libascendcl.so]" in dynamic, dynamic)
        expect(str(job.toolkit.prefix.name) not in dynamic, dynamic)
        expect("PATH)" not in dynamic, dynamic)


def cmake_package(*arguments):
    """find_package without set_env.sh: each target brings its headers and what it needs."""
    job = Job(*arguments)
    uses = {"ascendcl": ("acl/acl.h", "aclrtGetDeviceCount"),
            "nnopbase": ("aclnn/acl_meta.h", "aclCreateScalar"),
            "opapi": ("aclnnop/aclnn_add.h", "aclnnAdd"),
            "hccl": ("hccl/hccl.h", "HcclCommInitAll"),
            "acl_op_compiler": ("acl/acl_op_compiler.h", "aclSetCompileopt")}
    lines = ["cmake_minimum_required(VERSION 3.14)", "project(package CXX)",
             "find_package(aclimb ${WANTED} REQUIRED)", 'message(STATUS "root ${aclimb_ROOT_FOLDER}")']
    for target, (header, function) in uses.items():
        (job.work / f"{target}.cpp").write_text(
            f'#include <cstdio>\n#include "acl/acl.h"\n#include "{header}"\n'
            f"int main() {{\n  void* volatile address = reinterpret_cast<void*>(&{function});\n"
            '  std::printf("%d%d\\n", aclInit(nullptr), address == nullptr);\n}\n')
        lines += [f"add_executable({target} {target}.cpp)",
                  f"target_link_libraries({target} PRIVATE aclimb::{target})"]
    (job.work / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
    build, env = job.work / "build", {"PATH": os.environ["PATH"]}

    def configured(wanted):
        return subprocess.run(
            ["cmake", "-S", job.work, "-B", build, f"-DCMAKE_CXX_COMPILER={job.compiler}",
             f"-DCMAKE_PREFIX_PATH={job.toolkit.root}", f"-DWANTED={wanted}"],
            env=env, capture_output=True, text=True)

    version = re.search(r"aclimb_version=(\d+\.\d+)", (job.toolkit.root / "version.cfg").read_text())[1]
    refused = configured("99")
    expect(refused.returncode != 0 and "99" in refused.stderr, refused)
    found = configured(version)
    expect(found.returncode == 0 and not found.stderr, found)
    expect(f"root {job.toolkit.root}\n" in found.stdout, found.stdout)
    run(["cmake", "--build", build], env=env)
    for target in uses:
        printed = run([build / target], env=env)
        expect(printed == "00\n", f"{target} printed {printed}")


def one_line(*arguments):
    """The compiler line of the README, by which scripts/demo has built the examples. The programs run as
    set_env.sh sets up, with every symbol of program and libraries resolved at load, and with one
    variable and nothing else, not even PATH."""
    job = Job(*arguments)
    sourced = job.toolkit.sourced()
    job.check_all([*BASE, "-lopapi"], sourced, dict(sourced, LD_BIND_NOW="1"),
                  {"LD_LIBRARY_PATH": str(job.toolkit.lib)}, built=job.work.parent / "demo")


def old_string_abi(*arguments):
    """The other std::string, C++17, warnings as errors, the newer library names."""
    job = Job(*arguments)
    job.check_all(
        ["-std=c++17", "-Wall", "-Werror", "-D_GLIBCXX_USE_CXX11_ABI=0", "-lacl_rt", "-lnnopbase",
         "-lopapi_nn", "-lopapi_math", "-lopapi_cv", f"-I{job.toolkit.root}/include/aclnnop"],
        job.toolkit.sourced(),
    )


def hardened(*arguments):
    """Position independent, all symbols bound at load, dependencies of dependencies resolved."""
    job = Job(*arguments)
    job.check_all(
        ["-std=c++14", "-O2", "-fPIE", "-pie", "-fstack-protector-all", "-Wl,-z,relro", "-Wl,-z,now",
         "-Wl,-z,noexecstack", "-Wl,--copy-dt-needed-entries", *BASE, "-lopapi"],
        job.toolkit.sourced(),
    )


def lookup(mode):
    """A client that links nothing and opens the libraries at run time."""

    def test(*arguments):
        job = Job(*arguments)
        program = job.compile(job.source / "tests/install/lookup.cpp", "-Wall", "-Wextra", "-ldl")
        env = dict(job.toolkit.sourced(), ASCEND_CUSTOM_OPP_PATH="/nonexistent")
        dynamic = run(["readelf", "-d", program])
        expect("libopapi" not in dynamic and "libascendcl" not in dynamic, dynamic)
        text = run([program, mode, "run"], env=env)
        print(text, end="")
        expect(text.endswith("done\n"), "the client did not finish")
        expect("aclnnEluBackward from libopapi_" in text, "not found in the first library there is")
        silent = run([program, mode, "silent"], env=env)
        expect(silent == "", f"opening the libraries printed: {silent}")

    return test


def c99(*arguments):
    """A C program; the compiler here is the C compiler."""
    job = Job(*arguments)
    program = job.compile(
        job.source / "tests/install/c99.c",
        "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-lascendcl")
    expect(run([program], env=job.toolkit.sourced()) == "", "the program printed something")


def readme(*arguments):
    """The README's program by the README's commands."""
    job = Job(*arguments)
    text = (job.source / "README.md").read_text()
    (job.work / "elu.cpp").write_text(re.search(r"```cpp\n(.*?)```", text, re.DOTALL)[1])
    commands = re.search(r"```\n(\. local/cann/set_env\.sh\n.*?)```", text, re.DOTALL)[1]
    commands = commands.replace("g++", job.compiler)
    # Where the README says local, `make demo` has installed; here it is the staged toolkit.
    (job.work / "local").symlink_to(job.toolkit.prefix)
    printed = run(["sh", "-euc", commands], cwd=job.work)
    expected = re.search(r"[Ii]t prints `([^`]*)`", text)[1]
    expect(printed.strip() == expected, f"printed {printed}, the README says {expected}")
    # Its CMake file does the same.
    (job.work / "CMakeLists.txt").write_text(re.search(r"```cmake\n(.*?)```", text, re.DOTALL)[1])
    build, env = job.work / "build", job.toolkit.sourced()
    run(["cmake", "-S", job.work, "-B", build, f"-DCMAKE_CXX_COMPILER={job.compiler}",
         "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror"], env=env)
    run(["cmake", "--build", build], env=env)
    expect(run([build / "elu"], env=env).strip() == expected, "the CMake file builds another program")
    # What fails is told, and gives an exit status.
    failed = subprocess.run([build / "elu"], env=dict(env, ACLIMB_FAULT="aclnnEluBackward:1=361001"),
                            capture_output=True, text=True)
    expect(failed.returncode == 1 and failed.stdout == "", failed)
    expect("call 1 fails because ACLIMB_FAULT says so" in failed.stderr, failed.stderr)
    # What is missing is named by the compiler.
    for name, use in {"aclnnop/aclnn_lstm.h": '#include "aclnnop/aclnn_lstm.h"',
                      "aclmdlLoadFromFile": "auto* f = &aclmdlLoadFromFile;"}.items():
        (job.work / "missing.cpp").write_text(f'#include "acl/acl.h"\n{use}\n')
        tried = subprocess.run([job.compiler, "-fsyntax-only", f"-I{job.toolkit.root}/include",
                                job.work / "missing.cpp"], capture_output=True, text=True)
        expect(tried.returncode != 0 and name in tried.stderr and name in text, tried)


TESTS = {
    "readme": readme,
    "one_line": one_line,
    "old_string_abi": old_string_abi,
    "hardened": hardened,
    "lookup_lazy": lookup("lazy"),
    "lookup_now": lookup("now"),
    "c99": c99,
    "cmake_package": cmake_package,
    "cmake_cann": cmake_project("cann", "opapi", "opapi_math;opapi_nn;opapi_cv"),
    "cmake_latest": cmake_project("latest", "opapi", "opapi_math;opapi_nn"),
}

if __name__ == "__main__":
    os.environ["LC_ALL"] = "C"
    sys.exit(main(TESTS))

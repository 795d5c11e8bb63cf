"""The files of the installed toolkit.

  tree_test.py <what> <staged prefix> <source folder> <build folder> <architecture> <operator header>...
"""

import os
import pathlib
import re
import sys

from toolkit import Toolkit, expect, main, run

VERSION = "8.1.RC1"
REAL = ["libacl_op_compiler.so", "libascendcl.so", "libhccl.so", "libnnopbase.so", "libopapi.so"]


def links(arch):
    """Link -> what it says, relative to the root."""
    expected = {"lib64/libacl_rt.so": "libascendcl.so", "lib64/stub": ".", "ops": "opp",
                "bin/setenv.bash": "../set_env.sh", f"{arch}-linux/devlib": "../lib64",
                f"{arch}-linux/bin": "../bin"}
    for name in ("opapi_math", "opapi_nn", "opapi_cv", "opapi_transformer", "opapi_legacy",
                 "aclnn_ops_infer", "aclnn_ops_train", "aclnn_math", "aclnn_sparse", "aclnn_fft",
                 "aclnn_rand"):
        expected[f"lib64/lib{name}.so"] = "libopapi.so"
    for name in ("ge_runner", "graph", "acl_tdt_channel", "ascend_hal", "msprofiler"):
        expected[f"lib64/lib{name}.so"] = "libascendcl.so"
    expected["lib64/libhcomm.so"] = "libhccl.so"
    for folder in ("fwkacllib", "acllib", "runtime", "compiler", "toolkit", f"{arch}-linux"):
        expected[f"{folder}/include"] = "../include"
        expected[f"{folder}/lib64"] = "../lib64"
    if arch == "aarch64":
        expected["arm64-linux"] = "aarch64-linux"
    return expected


def layout(prefix, source, build, arch, *operator_headers):
    toolkit = Toolkit(prefix)
    root = toolkit.root
    headers = ["acl/acl.h", "acl/acl_rt.h", "acl/acl_base.h", "acl/acl_op_compiler.h",
               "aclnn/acl_meta.h", "aclnn/aclnn_base.h", "aclnnop/aclnn_util.h", "hccl/hccl.h", "aclimb/framework.h"]
    headers += [f"aclnnop/{pathlib.PurePath(header).name}" for header in operator_headers]
    files = [f"include/{header}" for header in headers] + [f"lib64/{name}" for name in REAL]
    files += ["set_env.sh", "version.cfg", "bin/aclimb",
              "share/bash-completion/completions/aclimb", f"{arch}-linux/ascend_toolkit_install.info"]
    for name in files:
        expect((root / name).is_file() and not (root / name).is_symlink(), f"no file {name}")
    expect((root / "opp" / "vendors").is_dir(), "no folder opp/vendors")

    found = {
        path.relative_to(root).as_posix(): os.readlink(path)
        for folder, folders, names in os.walk(root.resolve())
        for path in [root / os.path.relpath(os.path.join(folder, name), root.resolve())
                     for name in folders + names]
        if path.is_symlink()
    }
    expected = links(arch)
    expect(found == expected, f"links differ: {sorted(set(found.items()) ^ set(expected.items()))}")
    for link in expected:
        expect((root / link).exists(), f"{link} leads nowhere")

    outside = {
        "cann": f"cann-{VERSION}",
        "ascend-toolkit/latest": f"../cann-{VERSION}",
        "ascend-toolkit/set_env.sh": "latest/set_env.sh",
    }
    for link, target in outside.items():
        path = toolkit.prefix / link
        expect(os.readlink(path) == target and path.exists(), f"{link} is not a link to {target}")


def versions(prefix, source, build, arch, *operator_headers):
    root = Toolkit(prefix).root

    def keys(name):
        return dict(line.split("=", 1) for line in (root / name).read_text().splitlines())

    info = keys(f"{arch}-linux/ascend_toolkit_install.info")
    expect(info["version"] == VERSION and info["arch"] == arch and info["os"] == "linux", info)
    expect(info["package_name"] and info["innerversion"] and info["path"], info)
    expect(re.fullmatch(r"\d+\.\d+\.\d+", info["aclimb_version"]), info)
    expect(keys("version.cfg")["version"] == VERSION, "version.cfg")
    for component in ("runtime", "compiler", "opp", "toolkit"):
        for name in (f"{component}/version.info", f"share/info/{component}/version.info"):
            expect(keys(name)["Version"] == VERSION, name)


def relocatable(prefix, source, build, arch, *operator_headers):
    """Nothing in the tree names the place where it was installed, built or written."""
    toolkit = Toolkit(prefix)
    first_place = str(toolkit.prefix.parent / "first place")
    checked = 0
    for path in toolkit.root.resolve().rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        expect(first_place.encode() not in content, f"{path} names {first_place}")
        if not content.startswith(b"\x7fELF"):
            for place in (source, build):
                expect(place.encode() not in content, f"{path} names {place}")
        checked += 1
    expect(checked > 20, f"only {checked} files")


NEEDS = {
    "libascendcl.so": [],
    "libacl_op_compiler.so": ["libascendcl.so"],
    "libhccl.so": ["libascendcl.so"],
    "libnnopbase.so": ["libascendcl.so"],
    "libopapi.so": ["libnnopbase.so", "libascendcl.so"],
}


def libraries(prefix, source, build, arch, *operator_headers):
    toolkit = Toolkit(prefix)
    for name, needs in NEEDS.items():
        dynamic = run(["readelf", "-d", toolkit.lib / name])
        expect(f"Library soname: [{name}]" in dynamic, f"{name}: SONAME")
        expect("[$ORIGIN]" in dynamic, f"{name}: run path")
        expect("NODELETE" in dynamic, f"{name}: can be unloaded")
        for need in needs:
            expect(f"Shared library: [{need}]" in dynamic, f"{name} does not record {need}")


def symbols(prefix, source, build, arch, *operator_headers):
    """C names of the API, and aclimb_* between our own libraries; nothing of C++."""
    toolkit = Toolkit(prefix)
    for name in REAL:
        text = run(["nm", "-D", "--defined-only", "--format=posix", toolkit.lib / name])
        names = [line.split()[0].split("@")[0] for line in text.splitlines()]
        strange = [n for n in names if not re.match(r"(acl|Acl|aclnn|Hccl|Msprof|rt|aclimb_)[A-Za-z_]", n)]
        expect(names and not strange, f"{name} shows {strange or 'nothing'}")
        for n in names:
            expect(n.startswith("Hccl") == (name == "libhccl.so"), f"{name} shows {n}")
            expect(n.startswith("aclnn") == (name == "libopapi.so") or n.startswith("aclimb_")
                   or n in ("aclnnInit", "aclnnFinalize"), f"{name} shows {n}")


TESTS = {test.__name__: test for test in (layout, versions, relocatable, libraries, symbols)}

if __name__ == "__main__":
    os.environ["LC_ALL"] = "C"
    sys.exit(main(TESTS))

"""Holds three lists of functions together: declared in the public headers, written down in the
signature tables, and exported by the libraries.

  symbols_test.py declared <source directory> <operator header or signature table>...
      every declared function has a signature, and the other way round
  symbols_test.py exported <source directory> <nm> <name>=<library file>...
      <operator header>...
      each library exports exactly what the headers declare for it, besides aclimb_*
"""

import pathlib
import re
import subprocess
import sys

DECLARATION = re.compile(r"^(?:ACL_FUNC_VISIBILITY|ACLNN_API)\s[^;(]*?\b(\w+)\(", re.MULTILINE)
SIGNATURE = re.compile(r"^ACLIMB_(\w+)\([^,]+, (\w+), \(", re.MULTILINE)
LIBRARY_OF_TABLE = {
    "RUNTIME": "ascendcl",
    "COMPILER": "acl_op_compiler",
    "BASE": "nnopbase",
    "OPERATOR": "opapi",
    "COLLECTIVE": "hccl",
}


def library_of_header(header):
    """The library whose functions a header under include/ declares."""
    if header.name == "acl_op_compiler.h":
        return "acl_op_compiler"
    return {"acl": "ascendcl", "aclimb": "ascendcl", "aclnn": "nnopbase", "hccl": "hccl"}.get(header.parts[0])


def declared(source, files):
    """Library name -> set of functions that the headers declare."""
    functions = {name: set() for name in LIBRARY_OF_TABLE.values()}
    include = source / "include"
    for header in sorted(include.rglob("*.h")):
        library = library_of_header(header.relative_to(include))
        if library is not None:
            functions[library].update(DECLARATION.findall(header.read_text()))
    for header in files:
        if header.endswith(".h"):
            functions["opapi"].update(DECLARATION.findall(pathlib.Path(header).read_text()))
    return functions


def signatures(source, files):
    """Library name -> set of functions in the signature tables."""
    functions = {name: set() for name in LIBRARY_OF_TABLE.values()}
    tables = [source / "tests" / "c_abi" / "signatures.inc"]
    tables += [pathlib.Path(file) for file in files if file.endswith(".inc")]
    for table in tables:
        for kind, name in SIGNATURE.findall(table.read_text()):
            functions[LIBRARY_OF_TABLE[kind]].add(name)
    return functions


def exported(nm, library):
    """The functions and objects that a shared library shows."""
    output = subprocess.run(
        [nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout
    names = set()
    for line in output.splitlines():
        kind, name = line.split()[-2:]
        if kind in "TWVDBRiu":
            names.add(name.split("@")[0])
    return names


def differences(title, expected, found):
    """Prints what is in only one of two sets; the number of such names."""
    for name in sorted(expected - found):
        print(f"{title}: {name} is missing")
    for name in sorted(found - expected):
        print(f"{title}: {name} is too much")
    return len(expected ^ found)


def main(arguments):
    mode, source = arguments[0], pathlib.Path(arguments[1])
    if mode == "declared":
        files = arguments[2:]
        expected, found = signatures(source, files), declared(source, files)
        failures = sum(differences(name, expected[name], found[name]) for name in expected)
        # Guards against a pattern that matches nothing any more.
        for name in expected:
            if not expected[name]:
                print(f"{name}: no signatures found")
                failures += 1
        return 1 if failures else 0
    nm = arguments[2]
    expected = declared(source, [argument for argument in arguments[3:] if "=" not in argument])
    failures = 0
    for argument in arguments[3:]:
        if "=" not in argument:
            continue
        name, library = argument.split("=", 1)
        found = {symbol for symbol in exported(nm, library) if not symbol.startswith("aclimb_")}
        failures += differences(f"lib{name}.so", expected[name], found)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

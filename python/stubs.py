"""Writes the type stubs of aclimb.ops and aclimb.reference from the operators' contracts.

    stubs.py <program aclimb> <file>...
"""

import json
import keyword
import pathlib
import subprocess
import sys

TYPES = {"tensor": "Array", "tensor list": "Sequence[Array]", "scalar": "Number",
         "scalar list": "Sequence[Number]", "int array": "Sequence[int]",
         "float array": "Sequence[float]", "bool array": "Sequence[bool]", "string": "str",
         "bool": "bool", "integer": "int", "real": "float"}
HEAD = """\
from typing import Any, Mapping, Sequence, Union

# NumPy's arrays, PyTorch's tensors on the CPU, what has DLPack or a buffer, numbers and lists.
Array = Any
Number = Any
DType = Any
Out = Union[Array, Sequence[Array], Mapping[str, Array], None]
"""


def stub(operator):
    parameters = []
    for parameter in operator["parameters"]:
        name, kind = parameter["name"], parameter["kind"]
        if parameter["role"] == "out" and not name.endswith("Ref"):
            continue
        name += "_" if keyword.iskeyword(name) else ""
        # An aclDataType is an integer with such a name.
        of = "DType" if kind == "integer" and "dtype" in name.lower() else TYPES[kind]
        parameters.append((name, of, parameter["optional"]))
    texts = []
    for index, (name, of, optional) in enumerate(parameters):
        # What must be given may stand behind what need not be.
        last = all(each[2] for each in parameters[index:])
        of = f"Union[{of}, None]" if optional else of
        texts.append(f"{name}: {of}" + (" = ..." if last else ""))
    summary = operator["summary"].replace("\\", "\\\\")
    return (f"def {operator['folder']}({', '.join(texts + ['*', 'out: Out = ...'])}) -> Any:\n"
            f'    """{summary}"""\n')


def main():
    program, *files = sys.argv[1:]
    operators = json.loads(subprocess.run([program, "ops", "--json"], capture_output=True,
                                          check=True).stdout)
    text = HEAD + "\n" + "".join(map(stub, operators)) + "def __getattr__(name: str) -> Any: ...\n"
    for file in files:
        pathlib.Path(file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

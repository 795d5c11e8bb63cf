"""The operators' formulas in double: what an operator has to give, to hold an NPU's results against.

    golden = aclimb.reference.softmax(x, -1)

Arguments as in aclimb.ops; the inputs are taken with the values that their dtypes hold, results are
NumPy arrays of float64 that are not rounded to the output's dtype; one that an operator leaves alone is
None. Complex outputs, which float64 does not hold, are a TypeError. The formulas run in the toolkit's program `aclimb replay`, and take their time.
"""

import json
import os
import pathlib
import tempfile
from typing import Any, List

import numpy

from . import _arrays, _call, _contract, ops


def _number(value: Any) -> Any:
    value = numpy.asarray(value)[()]
    if isinstance(value, numpy.complexfloating):
        return [_number(value.real), _number(value.imag)]
    if isinstance(value, (numpy.integer, numpy.bool_)):
        return int(value)
    value = float(value)
    return value if numpy.isfinite(value) else str(value)


def _scalar(value: Any) -> Any:
    if value is None:
        return None
    wide = {int: "INT64", float: "DOUBLE"}.get(type(value))
    return {"scalar": _number(value),
            "dtype": wide or _arrays.dtype_name(numpy.asarray(value).dtype)}


def _tensor(view: Any, layout: str) -> Any:
    if view is None:
        return None
    return {"tensor": {"dtype": view.dtype, "shape": list(view.shape),
                       "strides": list(view.strides), "offset": 0, "storage": [view.elements],
                       "format": layout}}


def _argument(parameter: Any, value: Any) -> Any:
    kind = parameter["kind"]
    one = {"tensor": lambda view: _tensor(view, _call.Call.format(parameter)), "scalar": _scalar,
           "real": _number, "float array": _number}
    if kind in ("tensor list", "scalar list"):
        return None if value is None else [one[kind[:-5]](each) for each in value]
    if kind == "float array" and value is not None:
        return [_number(each) for each in value]
    return value if value is None or kind not in one else one[kind](value)


def _record(call: _call.Call, folder: str) -> None:
    """The call as docs/record.md describes one."""
    blocks, tensors = [], {}
    for name, parameter, view in call.tensors():
        entry = {"role": "input", "file": None, "left_out": "it is what the formula gives",
                 "block": len(blocks), "begin": 0}
        blocks.append(view.bytes)
        roles = parameter["role"].split(" and ")
        if "in" in roles:
            dtype = {"BFLOAT16": "uint16"}.get(view.dtype) or _arrays.numpy_name(view.dtype)
            memory = (_arrays.ctypes.c_char * view.bytes).from_address(view.address)
            numpy.save(os.path.join(folder, name + ".npy"), numpy.frombuffer(memory, dtype))
            tensors[name] = dict(entry, file=name + ".npy")
        if "out" in roles:
            tensors[name + ".out" if "in" in roles else name] = dict(entry, role="output")
    text = {"number": 1, "operator": call.contract["function"], "workspace": 0, "phase1": 0,
            "phase2": 0, "run": "ended", "run_code": 0, "message": "",
            "soc": os.environ.get("ACLIMB_SOC") or "Ascend910B3",
            "extensions": os.environ.get("ACLIMB_EXTENSIONS") == "1", "deterministic": False,
            "blocks": blocks, "tensors": tensors,
            "arguments": {each["name"]: _argument(each, call.values[each["name"]])
                          for each in call.contract["parameters"]}}
    pathlib.Path(folder, "call.json").write_text(json.dumps(text))


def _run(call: _call.Call) -> Any:
    call.check()
    for name, parameter, view in call.tensors():
        if "out" in parameter["role"] and view.dtype.startswith("COMPLEX"):
            raise TypeError(f"{call.contract['function']}: {name} is {view.dtype}, but the formulas "
                            "give real numbers alone; expected outputs of real dtypes")
    if call.contract["sizes_output"]:
        # The formula fills what there is room for; how much counts the run finds out.
        call.run()
    with tempfile.TemporaryDirectory() as folder:
        _record(call, folder)
        truth = os.path.join(folder, "truth")
        os.mkdir(truth)
        done = _contract.tool("replay", folder, "--truth", truth)
        if done.returncode < 0:
            raise RuntimeError(f"the formula of {call.contract['function']} died of signal "
                               f"{-done.returncode}: are all indices within what they point to?")
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())

        def of(name, view):
            file = pathlib.Path(truth, name + ".npy")
            if not file.exists():
                return None
            shape = tuple(view.owner.shape) if call.contract["sizes_output"] else view.shape
            return numpy.load(file)[:int(numpy.prod(shape))].reshape(shape)

        return call.results(of)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    function = ops._function(name, _run)
    globals()[name] = function
    return function


def __dir__() -> List[str]:
    return _contract.names()

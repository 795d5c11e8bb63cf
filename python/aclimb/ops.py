"""The operators on arrays of the host: NumPy's, PyTorch's on the CPU, all that has DLPack or a buffer.

    aclimb.ops.softmax(x, -1)
    aclimb.ops.add(a, b, 1, out=c)
    aclimb.ops.convolution(x, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, 0)

A function has the name of the operator's header or of the C function; its arguments are those of
phase 1 without the outputs, by position or by name. New outputs are allocated where the contract
tells their shape and dtype; `out=` gives them: an array, a sequence in the contract's order, or a
dictionary. Arrays are copied to the device, and outputs back. What an operator refuses is raised as
aclimb.Error with the whole message.
"""

import inspect
from typing import Any, List

from . import _call, _contract


def _function(name: str, run):
    contract = _contract.contract(name)

    def invoke(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        return run(_call.Call(name, args, kwargs, out))

    kind = inspect.Parameter
    given = [each for each in contract["parameters"] if not _contract.is_output(each)]
    invoke.__signature__ = inspect.Signature(
        [kind(_contract.python_name(each), kind.POSITIONAL_OR_KEYWORD) for each in given] +
        [kind("out", kind.KEYWORD_ONLY, default=None)])
    invoke.__name__ = invoke.__qualname__ = name
    lines = [f"{each['name']}: {each['kind']}, {each['role']}; {each['doc']}"
             for each in contract["parameters"]]
    invoke.__doc__ = "\n".join([contract["summary"], "", *lines])
    return invoke


def _run(call: _call.Call) -> Any:
    call.run()
    return call.results()


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    function = _function(name, _run)
    globals()[name] = function
    return function


def __dir__() -> List[str]:
    return _contract.names()

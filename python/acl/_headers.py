"""The functions and the constants of the toolkit's headers, as pyACL has them."""

import ctypes
import functools
import inspect
import re

from aclimb import _toolkit

_SCALARS = {
    "bool": ctypes.c_bool, "float": ctypes.c_float, "size_t": ctypes.c_size_t,
    **{f"{sign}int{bits}_t": getattr(ctypes, f"c_{sign}int{bits}")
       for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "char*": ctypes.c_char_p, "void*": ctypes.c_void_p, "aclError": ctypes.c_int,
    "aclFloat16": ctypes.c_uint16,
}
# Input arrays and buffers, which C writes like outputs.
_OTHERS = {"aclrtMemSetPidToShareableHandle"}


@functools.lru_cache(maxsize=None)
def _text() -> str:
    include = _toolkit.root() / "include" / "acl"
    names = ("acl_base_rt.h", "acl_rt.h", "error_codes/rt_error_codes.h")
    text = "\n".join((include / name).read_text() for name in names).replace("ACL_FUNC_VISIBILITY ", "")
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


@functools.lru_cache(maxsize=None)
def constants() -> dict:
    pairs = re.findall(r"\b(ACL_\w+)\s*=\s*(-?\w+)", _text())
    pairs += re.findall(r"#define (ACL_\w+) +\(?(-?\w+)\)?", _text())
    values = {}
    for name, value in pairs:
        try:
            values[name] = int(value.rstrip("uUlL"), 0)
        except ValueError:
            pass
    return values


@functools.lru_cache(maxsize=None)
def _types() -> dict:
    types = dict(_SCALARS)
    types.update({name: ctypes.c_int for name in re.findall(r"typedef enum (\w+)", _text())})
    types.update({name: ctypes.c_void_p for name in re.findall(r"typedef void ?\* ?(\w+);", _text())})
    return types


def snake(name: str) -> str:
    """MallocHost -> malloc_host; UnSubscribeReport is written together in pyACL."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("UnS", "Uns")).lower()


def _read(declaration):
    """The result's type, the inputs and the outputs; None when Python has no equal of one."""
    result, name, inside = declaration
    types = _types()
    result = result.replace("const ", "").replace(" ", "")
    parameters = []
    for text in re.sub(r"\s+", " ", inside).split(", "):
        if text in ("", "void"):
            continue
        if " " not in text:
            return None
        text, identifier = text.rsplit(" ", 1)
        constant = text.startswith("const ")
        text = text.replace("const ", "")
        out = not constant and text.endswith("*") and text[:-1] in types
        kind = types.get(text[:-1] if out else text)
        if kind is None:
            return None
        parameters.append((snake(identifier), kind, out))
    return None if name in _OTHERS or result not in types else (name, types[result], parameters)


@functools.lru_cache(maxsize=None)
def declarations() -> dict:
    """By pyACL's full name, "rt.malloc"."""
    found = re.findall(r"\n((?:const )?\w+ ?\*?) ?(acl(?!mdl)\w+)\(([^()]*)\);", _text())
    readable = [each for each in map(_read, found) if each is not None]
    return {("rt." if each[0].startswith("aclrt") else "") +
            snake(re.sub("^acl(rt)?", "", each[0])): each for each in readable}


def _given(value, kind):
    if kind is ctypes.c_char_p and isinstance(value, str):
        return value.encode()
    return value


def function(name: str):
    """The function of that name: inputs in, a tuple of the outputs and the code back."""
    c_name, result, parameters = declarations()[name]
    call = getattr(_toolkit.library("libascendcl.so"), c_name)
    call.restype = result
    call.argtypes = [ctypes.POINTER(kind) if out else kind for _, kind, out in parameters]
    inputs = [identifier for identifier, _, out in parameters if not out]

    def invoke(*values):
        if len(values) != len(inputs):
            raise TypeError(f"acl.{name} takes {len(inputs)} arguments "
                            f"({', '.join(inputs)}) but {len(values)} were given")
        rest = iter(values)
        arguments = [kind() if out else _given(next(rest), kind) for _, kind, out in parameters]
        code = call(*[ctypes.byref(argument) if out else argument
                      for argument, (_, _, out) in zip(arguments, parameters)])
        if isinstance(code, bytes):
            code = code.decode(errors="replace")
        # A null pointer is 0 in pyACL, not None.
        outputs = [argument.value or 0
                   for argument, (_, _, out) in zip(arguments, parameters) if out]
        return (*outputs, code) if outputs else code

    invoke.__name__ = invoke.__qualname__ = name.rsplit(".", 1)[-1]
    invoke.__doc__ = c_name
    invoke.__signature__ = inspect.Signature(
        [inspect.Parameter(each, inspect.Parameter.POSITIONAL_ONLY) for each in inputs])
    return invoke


def names(prefix: str) -> list:
    """Of the functions that a module has."""
    return [name[len(prefix):] for name in declarations()
            if name.startswith(prefix) and "." not in name[len(prefix):]]


def attribute(module: str, prefix: str, name: str):
    """For a module's __getattr__."""
    if name in names(prefix):
        return function(prefix + name)
    raise AttributeError(f"module {module!r} has no attribute {name!r}; it has pyACL's functions "
                         "that need neither structures nor models")

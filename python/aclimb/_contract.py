"""The contracts of the operators, as `aclimb ops --json` tells them, and what follows from them for
the outputs of a call."""

import functools
import json
import keyword
import subprocess
from typing import Any, Dict, List, Optional, Tuple

from . import _arrays, _toolkit


def tool(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(_toolkit.root() / "bin" / "aclimb"), *words], capture_output=True,
                          text=True)


@functools.lru_cache(maxsize=None)
def names() -> List[str]:
    """Of all operators, as their headers are called."""
    return [each["folder"] for each in json.loads(tool("ops", "--json").stdout)]


@functools.lru_cache(maxsize=None)
def contract(name: str) -> Dict[str, Any]:
    """By the header's name or the function's, with or without "aclnn"."""
    found = tool("ops", name, "--json")
    if found.returncode != 0:
        raise AttributeError(found.stderr.strip())
    return json.loads(found.stdout)


def is_tensor(parameter: Dict[str, Any]) -> bool:
    return parameter["kind"].startswith("tensor")


def is_output(parameter: Dict[str, Any]) -> bool:
    """One that the call need not give. What is worked on in place is called selfRef and the like,
    also where it is not read."""
    return parameter["role"] == "out" and not parameter["name"].endswith("Ref")


def python_name(parameter: Dict[str, Any]) -> str:
    """from_ for from."""
    return parameter["name"] + ("_" if keyword.iskeyword(parameter["name"]) else "")


class CannotTell(Exception):
    """The contract does not say what an output is."""


_CATEGORIES = ["BOOL", "INT", "FLOAT", "COMPLEX"]


def _category(dtype: str) -> str:
    for category in ("BOOL", "COMPLEX"):
        if dtype.startswith(category):
            return category
    return "INT" if "INT" in dtype else "FLOAT"


_WIDTHS = ["BOOL", "UINT8", "INT8", "INT16", "INT32", "INT64", "FLOAT16", "BFLOAT16", "FLOAT",
           "DOUBLE", "COMPLEX64", "COMPLEX128"]


def _promote(values: List[Any]) -> str:
    """Of tensors' views and of Python's numbers, as PyTorch does."""
    views = [value for value in values if isinstance(value, _arrays.View)]
    result: Optional[str] = None
    for dtype in (value.dtype for value in views):
        pair = {result or dtype, dtype}
        if pair == {"UINT8", "INT8"}:
            result = "INT16"
        elif pair == {"FLOAT16", "BFLOAT16"}:
            result = "FLOAT"
        else:
            result = max(pair, key=_WIDTHS.index)
    for value in values:
        if isinstance(value, _arrays.View) or value is None:
            continue
        category = {bool: "BOOL", int: "INT", float: "FLOAT", complex: "COMPLEX"}.get(type(value))
        category = category or _category(_arrays.dtype_name(value.dtype))
        if _CATEGORIES.index(category) > _CATEGORIES.index(_category(result or "BOOL")):
            result = {"INT": "INT64", "FLOAT": "FLOAT", "COMPLEX": "COMPLEX64"}[category]
    if result is None:
        raise CannotTell
    return result


def _broadcast(shapes: List[Tuple[int, ...]]) -> Tuple[int, ...]:
    rank = max(map(len, shapes))
    columns = zip(*[(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes])
    # Where they do not fit each other, the operator says so.
    return tuple(next((extent for extent in column if extent != 1), 1) for column in columns)


class Outputs:
    """Shapes and dtypes of the outputs, from the values of the other parameters: views of tensors
    or lists of them, Python's numbers and sequences, None."""

    def __init__(self, contract: Dict[str, Any], values: Dict[str, Any]):
        self._contract = contract
        self._values = values
        self._bound: Dict[str, Any] = {}
        for parameter in contract["parameters"]:
            value = values.get(parameter["name"])
            if "shape" not in parameter or value is None:
                continue
            if isinstance(value, _arrays.View):
                self._bind(parameter["shape"], value.shape)
            elif is_tensor(parameter) and value and value[0] is not None:
                self._bind(parameter["shape"], value[0].shape)
            elif parameter["kind"] == "int array":
                self._bind(parameter["shape"], tuple(value))

    def _width(self, entry: str) -> Optional[int]:
        """How many dimensions an entry of a pattern stands for; None when it is open."""
        if entry.endswith("...") and entry[0].islower():
            value = self._values.get(entry[:-3])
            return None if value is None else len(value)
        return None if entry.endswith("...") or entry.startswith("*") else 1

    def _bind(self, pattern: str, shape: Tuple[int, ...]) -> None:
        entries = [each for each in pattern.strip("[]").split(", ") if each]
        widths = [self._width(entry) for entry in entries]
        spare = len(shape) - sum(width or 0 for width in widths)
        position = 0
        for entry, width in zip(entries, widths):
            taken = tuple(shape[position:position + (spare if width is None else width)])
            position += len(taken)
            if entry.startswith("*"):
                self._bound[entry] = _broadcast([self._bound.get(entry, ()), taken])
            elif entry[0].isupper():
                self._bound.setdefault(entry, taken)

    def _pattern(self, pattern: str) -> Tuple[int, ...]:
        shape: Tuple[int, ...] = ()
        for entry in pattern.strip("[]").split(", "):
            if not entry:
                continue
            if entry.isdigit():
                shape += (int(entry),)
            elif entry in self._bound:
                shape += self._bound[entry]
            elif entry.endswith("...") and self._values.get(entry[:-3]) is not None:
                shape += tuple(self._values[entry[:-3]])
            elif isinstance(self._values.get(entry), int):
                shape += (self._values[entry],)
            else:
                raise CannotTell
        return shape

    def _relations(self, *kinds: str):
        return [each for each in self._contract["relations"] if each["kind"] in kinds]

    def _value(self, relation: Dict[str, Any], place: str, element: Optional[int]) -> Any:
        value = self._values.get(relation.get(place))
        if element is not None and isinstance(value, list):
            value = value[element]
        return value

    def _reduced(self, relation: Dict[str, Any], element: Optional[int]) -> Tuple[int, ...]:
        of = self._value(relation, "other", element)
        dims = self._values.get(relation.get("third"))
        dims = [dims] if isinstance(dims, int) else list(dims or range(len(of.shape)))
        dims = {dim % len(of.shape) for dim in dims if of.shape}
        keep = bool(self._values.get(relation.get("output")))
        return tuple(1 if d in dims else extent for d, extent in enumerate(of.shape)
                     if keep or d not in dims)

    def shape(self, parameter: Dict[str, Any], element: Optional[int] = None) -> Tuple[int, ...]:
        name = parameter["name"]
        if "shape" in parameter:
            return self._pattern(parameter["shape"])
        for relation in self._relations("same shape", "broadcasts", "reduces"):
            kind = relation["kind"]
            if kind == "same shape" and name in (relation["subject"], relation["other"]):
                # Or the tensor that has this output's shape.
                place = "other" if name == relation["subject"] else "subject"
                value = self._value(relation, place, element)
                if isinstance(value, _arrays.View):
                    return value.shape
                other = next(each for each in self._contract["parameters"]
                             if each["name"] == relation["other"])
                if place == "other" and other["role"] == "out":
                    return self.shape(other, element)
            elif kind == "broadcasts" and name == relation["output"]:
                operands = [self._value(relation, place, element)
                            for place in ("subject", "other", "third")
                            if relation.get(place) not in (None, name)]
                if all(isinstance(each, _arrays.View) for each in operands):
                    return _broadcast([each.shape for each in operands])
            elif kind == "reduces" and name == relation["subject"]:
                return self._reduced(relation, element)
        raise CannotTell

    def dtype(self, parameter: Dict[str, Any], element: Optional[int] = None) -> str:
        name = parameter["name"]
        accepted = {dtype for dtypes in parameter["dtypes"].values() for dtype in dtypes}
        guesses = []
        compares = False
        for relation in self._relations("same dtype", "names dtype", "converts", "promotes"):
            kind = relation["kind"]
            if kind == "names dtype" and name == relation["other"]:
                return _arrays.dtype_name(self._values[relation["subject"]])
            if kind == "same dtype" and name in (relation["subject"], relation["other"]):
                place = "other" if name == relation["subject"] else "subject"
                guesses.append(self._value(relation, place, element))
            elif kind == "promotes" and name == relation.get("output"):
                guesses.append(_promote([self._value(relation, place, element)
                                         for place in ("subject", "other", "third")
                                         if relation.get(place) is not None]))
            elif kind == "promotes":
                # The operands meet in a dtype, and the result has another: they are compared.
                compares = "output" not in relation
            elif kind == "converts" and name == relation["other"]:
                guesses.append(self._value(relation, "subject", element))
        guesses = [getattr(each, "dtype", each) for each in guesses if each is not None]
        if compares and not guesses:
            guesses.append("BOOL")
        if isinstance(self._values.get("dtype"), int):
            guesses.append(_arrays.dtype_name(self._values["dtype"]))
        if "indices" in name.lower():
            guesses.append("INT64")
        guesses += [self._first(value, element) for value in self._values.values()]
        # Operators that take integers and give other numbers; places.
        guesses += ["FLOAT", "INT64", *sorted(accepted)]
        return next(each for each in guesses if each and (not accepted or each in accepted))

    @staticmethod
    def _first(value: Any, element: Optional[int]) -> Optional[str]:
        if isinstance(value, list) and value and isinstance(value[0], _arrays.View):
            value = value[element or 0]
        return value.dtype if isinstance(value, _arrays.View) else None

    def wanted(self, parameter: Dict[str, Any]) -> bool:
        """Whether the operator gives this output for these flags."""
        flags = [bool(self._values[relation["other"]][relation["entry"]])
                 for relation in self._relations("wanted") if relation["subject"] == parameter["name"]]
        return flags[0] if flags else not parameter["optional"]

    def list_length(self, parameter: Dict[str, Any]) -> int:
        """Of an output that is a list: as many as the first list that is given has."""
        for other in self._contract["parameters"]:
            value = self._values.get(other["name"])
            if other["kind"] == "tensor list" and isinstance(value, list):
                return len(value)
        raise CannotTell

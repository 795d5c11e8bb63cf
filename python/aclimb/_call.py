"""One call of an operator: from Python's values to the handles of aclnn and back."""

import contextlib
import ctypes
import functools
import operator
import re
from typing import Any, Dict, List, Optional

import numpy

from . import _arrays, _contract, _toolkit

_C_TYPES = {"double": ctypes.c_double, "float": ctypes.c_float, "bool": ctypes.c_bool,
            "pointer": ctypes.c_void_p,
            **{f"{sign}int{bits}_t": getattr(ctypes, f"c_{sign}int{bits}")
               for sign in ("", "u") for bits in (8, 16, 32, 64)}}
_FORMATS = {"ND": 2, "NCHW": 0, "NHWC": 1, "HWCN": 16, "NDHWC": 27, "NCDHW": 30, "NC": 35, "NCL": 47}
_HOST_TO_DEVICE, _DEVICE_TO_HOST = 1, 2
_INITIALIZED_BEFORE = 100002
# Of an output whose shape is to be found out: one that no call expects.
_NO_SHAPE = (97, 89, 83, 79, 73, 71, 67, 61)


class Error(RuntimeError):
    """What an operator or the runtime refuses: the whole message, and the code."""

    __module__ = "aclimb"

    def __init__(self, function: str, code: int, message: str):
        super().__init__(message or f"{function} returned {code}")
        self.function = function
        self.code = code


class _Library:
    """The toolkit's functions, which return pointers or codes."""

    def __init__(self):
        self._opapi = _toolkit.library("libopapi.so")
        message = self._opapi.aclGetRecentErrMsg
        message.restype = ctypes.c_char_p
        self._message = message
        self.check("aclInit", self._opapi.aclInit(None), _INITIALIZED_BEFORE)

    def error(self, name: str, code: int) -> Error:
        text = self._message() or b""
        return Error(name, code, text.decode(errors="replace").strip())

    def check(self, name: str, code: int, *also: int) -> None:
        if code != 0 and code not in also:
            raise self.error(name, code)

    def call(self, name: str, *arguments: Any) -> None:
        self.check(name, self.function(name)(*arguments))

    def function(self, name: str):
        try:
            return getattr(self._opapi, name)
        except AttributeError:
            raise AttributeError(f"libopapi.so has no function {name}") from None

    def make(self, name: str, *arguments: Any) -> int:
        function = self.function(name)
        function.restype = ctypes.c_void_p
        made = function(*arguments)
        if not made:
            raise self.error(name, 0)
        return made

    def use_device(self) -> None:
        """The thread's device, or the first when it has none yet."""
        device = ctypes.c_int32()
        if self.function("aclrtGetDevice")(ctypes.byref(device)) != 0:
            self._message()
            self.call("aclrtSetDevice", 0)


@functools.lru_cache(maxsize=None)
def _library() -> _Library:
    return _Library()


def _int64s(values):
    return (ctypes.c_int64 * len(values))(*values)


def _is_written(parameter: Dict[str, Any]) -> bool:
    return "out" in parameter["role"]


class Call:
    """The operator's contract with one value for each parameter: views, numbers and sequences."""

    def __init__(self, name: str, args, kwargs, out):
        self.contract = _contract.contract(name)
        self.values: Dict[str, Any] = {}
        self._fresh: List[_arrays.View] = []
        self._like: Any = None
        self._first_tensor: Optional[str] = None
        self._take(args, dict(kwargs))
        self._complete(out)

    # ---- Values

    def _take(self, args, kwargs) -> None:
        function = self.contract["function"]
        given = [each for each in self.contract["parameters"] if not _contract.is_output(each)]
        if len(args) > len(given):
            raise TypeError(f"{function} takes {len(given)} arguments "
                            f"({', '.join(each['name'] for each in given)}), "
                            f"but {len(args)} were given; outputs are given as out=")
        for position, parameter in enumerate(given):
            name, python_name = parameter["name"], _contract.python_name(parameter)
            if position < len(args):
                if python_name in kwargs:
                    raise TypeError(f"{function}: {python_name} is given twice")
                value = args[position]
            elif python_name in kwargs:
                value = kwargs.pop(python_name)
            elif parameter["optional"]:
                value = None
            else:
                raise TypeError(f"{function}: {name} is missing ({parameter['doc']})")
            self.values[name] = self._value(parameter, value)
        if kwargs:
            raise TypeError(f"{function} has no parameter {', '.join(kwargs)}; it has "
                            f"{', '.join(each['name'] for each in given)}")

    def _view(self, parameter: Dict[str, Any], owner: Any) -> Optional[_arrays.View]:
        if owner is None:
            return None
        view = _arrays.view(owner)
        if self._first_tensor is None:
            self._like = owner
            self._first_tensor = parameter["name"]
        if _is_written(parameter) and view.is_copy:
            raise TypeError(f"{parameter['name']} is written to: pass an array that can be written, "
                            f"not {type(owner).__name__}")
        return view

    def _value(self, parameter: Dict[str, Any], value: Any) -> Any:
        kind = parameter["kind"]
        if kind == "tensor":
            return self._view(parameter, value)
        if kind == "tensor list":
            return None if value is None else [self._view(parameter, each) for each in value]
        if value is None:
            return None
        try:
            return self._number(kind, value)
        except (TypeError, ValueError):
            raise TypeError(f"{self.contract['function']}: {parameter['name']} is of the kind {kind} "
                            f"({parameter['doc']}), which {value!r} is not") from None

    @staticmethod
    def _number(kind: str, value: Any) -> Any:
        if kind.endswith("array"):
            value = [value] if isinstance(value, (int, float)) else value
            return [{"i": operator.index, "f": float, "b": bool}[kind[0]](each) for each in value]
        if kind == "integer":
            try:
                return operator.index(value)
            except TypeError:
                if isinstance(value, float):
                    raise
                return _arrays.dtype_number(_arrays.dtype_name(value))
        if kind == "bool" and not (isinstance(value, (bool, numpy.bool_)) or value in (0, 1)):
            raise TypeError(f"{value!r} is neither True nor False")
        return {"real": float, "bool": bool, "string": str, "scalar list": list}.get(
            kind, lambda same: same)(value)

    def _complete(self, out) -> None:
        """The outputs: those of `out`, in the contract's order, and new ones."""
        outputs = [each for each in self.contract["parameters"] if _contract.is_output(each)]
        if out is None:
            out = {}
        elif not isinstance(out, dict):
            # One output is itself, or a list when the parameter is a list.
            several = isinstance(out, (list, tuple)) and not (
                len(outputs) == 1 and outputs[0]["kind"] == "tensor list")
            out = list(out) if several else [out]
            if len(out) > len(outputs):
                raise TypeError(f"{self.contract['function']} has {len(outputs)} outputs, "
                                f"but out= gives {len(out)}")
            out = {parameter["name"]: each for parameter, each in zip(outputs, out)}
        unknown = set(out) - {each["name"] for each in outputs}
        if unknown:
            raise TypeError(f"{self.contract['function']} has no output {', '.join(unknown)}; "
                            f"it has {', '.join(each['name'] for each in outputs)}")
        for parameter in outputs:
            if out.get(parameter["name"]) is not None:
                self.values[parameter["name"]] = self._value(parameter, out[parameter["name"]])
        tell = _contract.Outputs(self.contract, self.values)
        asked: Dict[str, Any] = {}
        for parameter in outputs:
            if parameter["name"] not in self.values:
                self.values[parameter["name"]] = self._described(parameter, tell, asked)
        if asked:
            self._ask(asked)
        for parameter in outputs:
            name = parameter["name"]
            if name not in out or out[name] is None:
                value = self.values[name]
                self.values[name] = [self._new(each) for each in value] \
                    if isinstance(value, list) else self._new(value)

    def _described(self, parameter: Dict[str, Any], tell: _contract.Outputs, asked) -> Any:
        """Views without memory; of those whose shape the contract leaves to the operator, `asked`
        gets the parameter."""
        def one(element=None):
            name = parameter["name"] if element is None else f"{parameter['name']}[{element}]"
            try:
                shape = tuple(tell.shape(parameter, element))
            except _contract.CannotTell:
                asked[name] = parameter
                rank = len(getattr(self.values[self._first_tensor], "shape", ())) \
                    if self._first_tensor else 0
                rank = min(max(rank, parameter["min_rank"]), parameter["max_rank"])
                shape = _NO_SHAPE[:rank]
            if shape and shape == _NO_SHAPE[:len(shape)]:
                # Also of an output that is as another one.
                asked[name] = parameter
            dtype = tell.dtype(parameter, element)
            return _arrays.View(None, None, 0, dtype, 0, shape, _arrays.dense(shape))

        if not tell.wanted(parameter):
            return None
        if parameter["kind"] != "tensor list":
            return one()
        try:
            return [one(element) for element in range(tell.list_length(parameter))]
        except _contract.CannotTell:
            raise self._unknown(parameter) from None

    def _ask(self, asked: Dict[str, Any]) -> None:
        """Finds the shapes that the operator's own checks know: phase 1 says what it expects."""
        for _ in range(2 * len(asked) + 2):
            try:
                self.check()
            except Error as error:
                if not self._learn(str(error), asked):
                    if any(f"{name}.shape" in str(error) for name in asked):
                        raise self._unknown(next(iter(asked.values()))) from error
                    raise
            else:
                break
        for name, _, view in self.tensors():
            # One of rank 0 was accepted.
            if name in asked and view.shape:
                raise self._unknown(asked[name])

    def _learn(self, message: str, asked: Dict[str, Any]) -> bool:
        said = message.split("\n")[0]
        for name, parameter in list(asked.items()):
            view = next(each for each_name, _, each in self.tensors() if each_name == name)
            got = re.search(rf"\b{re.escape(name)}\.(shape|dtype) is .*; expected (.*)", said)
            if got is None:
                continue
            what, expected = got.groups()
            if what == "dtype":
                word = re.match(r"(\w+)", expected).group(1)
                if word not in {each for some in parameter["dtypes"].values() for each in some} \
                        or word == view.dtype:
                    return False
                view.dtype = word
                return True
            shape = re.match(rf"(?:{re.escape(name)}\.shape )?\[([\d, ]*)\]", expected) or \
                re.match(r"(\d+) elements?\.", expected)
            if expected.startswith("equal shapes"):
                shape = re.search(r".*\.shape is \[([\d, ]*)\];", said)
            if shape is None and not expected.startswith(("a single element", "one element")):
                return False
            view.shape = tuple(map(int, re.findall(r"\d+", shape.group(1)))) if shape else ()
            view.strides = _arrays.dense(view.shape)
            del asked[name]
            return True
        return False

    def _unknown(self, parameter: Dict[str, Any]) -> TypeError:
        return TypeError(
            f"{self.contract['function']}: the contract does not tell the shape of "
            f"{parameter['name']} ({parameter['doc']}); give it as "
            f"out={{\"{parameter['name']}\": array}}")

    def _new(self, view: Optional[_arrays.View]) -> Optional[_arrays.View]:
        if view is None:
            return None
        # NumPy's dtype for BFLOAT16 is another library's, which only the arrays know.
        like = next((each.owner for _, _, each in self.tensors()
                     if each.owner is not None and each.dtype == view.dtype == "BFLOAT16"),
                    self._like)
        fresh = _arrays.view(_arrays.empty(like, view.shape, view.dtype))
        self._fresh.append(fresh)
        return fresh

    # ---- Phases

    def _memory(self, stack, view: _arrays.View, read: bool) -> Optional[int]:
        """Device memory with the view's content."""
        library = _library()
        if view.bytes == 0:
            return None
        memory = ctypes.c_void_p()
        library.call("aclrtMalloc", ctypes.byref(memory), ctypes.c_size_t(view.bytes), 0)
        stack.callback(library.function("aclrtFree"), memory)
        if read:
            size = ctypes.c_size_t(view.bytes)
            library.call("aclrtMemcpy", memory, size, ctypes.c_void_p(view.address), size,
                         _HOST_TO_DEVICE)
        return memory.value

    def _tensor(self, stack, parameter, view: Optional[_arrays.View],
                with_data: bool) -> Optional[int]:
        if view is None:
            return None
        memory = None
        if with_data:
            read = not any(view is fresh for fresh in self._fresh)
            memory = self._memory(stack, view, read)
            self._places.append((view, memory))
        rank = ctypes.c_uint64(len(view.shape))
        made = _library().make(
            "aclCreateTensor", _int64s(view.shape), rank, _arrays.dtype_number(view.dtype),
            _int64s(view.strides), ctypes.c_int64(0),
            _FORMATS[self.format(parameter)], _int64s((view.elements,)),
            ctypes.c_uint64(1), ctypes.c_void_p(memory))
        self._tensors[id(view)] = made
        return made

    def _scalar(self, value: Any) -> Optional[int]:
        if value is None:
            return None
        if type(value) in (bool, int, float, complex):
            value = {bool: numpy.bool_, int: numpy.int64, float: numpy.float64,
                     complex: numpy.complex128}[type(value)](value)
        value = numpy.asarray(value)
        return _library().make("aclCreateScalar", ctypes.c_void_p(value.ctypes.data),
                               _arrays.dtype_number(_arrays.dtype_name(value.dtype)))

    def _object(self, stack, parameter, value: Any, with_data: bool) -> Optional[int]:
        library = _library()
        kind = parameter["kind"]
        if value is None:
            return None
        if kind == "tensor":
            made = self._tensor(stack, parameter, value, with_data)
            destroy = "aclDestroyTensor"
        elif kind == "scalar":
            made = self._scalar(value)
            destroy = "aclDestroyScalar"
        else:
            size = ctypes.c_uint64(len(value))
            what = "".join(word.capitalize() for word in kind.split())
            # The list destroys its elements, once there is one.
            with contextlib.ExitStack() as elements:
                if kind.endswith("list"):
                    content = (ctypes.c_void_p * len(value))(
                        *(self._element(stack, elements, parameter, each, with_data)
                          for each in value))
                else:
                    content = ({"i": ctypes.c_int64, "f": ctypes.c_float,
                                "b": ctypes.c_bool}[kind[0]] * len(value))(*value)
                made = library.make("aclCreate" + what, content, size)
                elements.pop_all()
            destroy = "aclDestroy" + what
        stack.callback(library.function(destroy), ctypes.c_void_p(made))
        return made

    def _element(self, stack, elements, parameter, value: Any, with_data: bool) -> Optional[int]:
        is_tensor = parameter["kind"] == "tensor list"
        made = self._tensor(stack, parameter, value, with_data) if is_tensor \
            else self._scalar(value)
        if made is not None:
            destroy = "aclDestroyTensor" if is_tensor else "aclDestroyScalar"
            elements.callback(_library().function(destroy), ctypes.c_void_p(made))
        return made

    def _phase1(self, stack, with_data: bool):
        """Workspace's size and executor."""
        library = _library()
        library.use_device()
        self._places: List[Any] = []
        self._tensors: Dict[int, int] = {}
        arguments = []
        for parameter in self.contract["parameters"]:
            value = self.values[parameter["name"]]
            if parameter["c_type"] == "pointer":
                value = (value if value is None else value.encode()) \
                    if parameter["kind"] == "string" else \
                    self._object(stack, parameter, value, with_data)
                arguments.append(ctypes.c_char_p(value) if parameter["kind"] == "string"
                                 else ctypes.c_void_p(value))
            else:
                argument = _C_TYPES[parameter["c_type"]](value)
                # ctypes cuts integers that do not fit.
                if isinstance(value, int) and argument.value != value:
                    raise OverflowError(f"{parameter['name']} is {value}; expected a number that "
                                        f"fits {parameter['c_type']}")
                arguments.append(argument)
        size = ctypes.c_uint64()
        executor = ctypes.c_void_p()
        library.call(self.contract["function"] + "GetWorkspaceSize", *arguments,
                     ctypes.byref(size), ctypes.byref(executor))
        return size, executor

    def check(self) -> None:
        """Raises what phase 1 has to say against the call."""
        with contextlib.ExitStack() as stack:
            _, executor = self._phase1(stack, False)
            _library().call("aclDestroyAclOpExecutor", executor)

    def run(self) -> None:
        library = _library()
        with contextlib.ExitStack() as stack:
            size, executor = self._phase1(stack, True)
            workspace = ctypes.c_void_p()
            # Phase 2 consumes the executor, whatever it answers.
            with contextlib.ExitStack() as unused:
                unused.callback(library.function("aclDestroyAclOpExecutor"), executor)
                if size.value:
                    library.call("aclrtMalloc", ctypes.byref(workspace), size, 0)
                    stack.callback(library.function("aclrtFree"), workspace)
                unused.pop_all()
            library.call(self.contract["function"], workspace, size, executor, None)
            library.call("aclrtSynchronizeStream", None)
            written = {id(view) for view in self._written()}
            for view, memory in self._places:
                if id(view) not in written:
                    continue
                if memory is not None:
                    size = ctypes.c_size_t(view.bytes)
                    library.call("aclrtMemcpy", ctypes.c_void_p(view.address), size,
                                 ctypes.c_void_p(memory), size, _DEVICE_TO_HOST)
                if self.contract["sizes_output"]:
                    view.owner = self._sized(view)

    def _sized(self, view: _arrays.View) -> Any:
        """The part of a dense output that the run gave to it."""
        extents, rank = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_uint64()
        _library().call("aclGetViewShape", ctypes.c_void_p(self._tensors[id(view)]),
                        ctypes.byref(extents), ctypes.byref(rank))
        shape = tuple(extents[:rank.value])
        _library().function("_ZdaPv")(extents)  # delete[]
        if shape == view.shape:
            return view.owner
        count = int(numpy.prod(shape, dtype=numpy.int64))
        return view.owner.reshape(-1)[:count].reshape(shape)

    def _written(self) -> List[_arrays.View]:
        return [view for parameter in self.contract["parameters"] if _is_written(parameter)
                for view in self._views(parameter)]

    def _views(self, parameter: Dict[str, Any]) -> List[_arrays.View]:
        value = self.values[parameter["name"]]
        several = value if isinstance(value, list) else [value]
        return [view for view in several if view is not None]

    @staticmethod
    def format(parameter: Dict[str, Any]) -> str:
        """ND where it is accepted, else the first that is."""
        accepted = re.findall(r"\w+", parameter["formats"])
        return next(name for name in _FORMATS if name in accepted)

    def tensors(self):
        """Name, as in recordings, role and view of every tensor that is given."""
        for parameter in self.contract["parameters"]:
            if not _contract.is_tensor(parameter):
                continue
            value = self.values[parameter["name"]]
            if isinstance(value, list):
                for element, view in enumerate(value):
                    if view is not None:
                        yield f"{parameter['name']}[{element}]", parameter, view
            elif value is not None:
                yield parameter["name"], parameter, value

    def results(self, of=lambda name, view: view.owner) -> Any:
        """What the operator wrote: alone, or a tuple in the contract's order."""
        found = []
        for parameter in self.contract["parameters"]:
            if not _is_written(parameter):
                continue
            name, value = parameter["name"], self.values[parameter["name"]]
            if isinstance(value, list):
                found.append([None if view is None else of(f"{name}[{element}]", view)
                              for element, view in enumerate(value)])
            elif value is not None:
                found.append(of(name, value))
        return found[0] if len(found) == 1 else tuple(found)

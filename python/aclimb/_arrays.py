"""Arrays of the host as aclnn describes tensors: NumPy's, DLPack's, and the buffer protocol's."""

import ctypes
import dataclasses
import sys
from typing import Any, Sequence, Tuple

import numpy

# aclDataType and its name, as contracts have it, with NumPy's name.
_DTYPES = {"FLOAT": (0, "float32"), "FLOAT16": (1, "float16"), "INT8": (2, "int8"),
           "INT32": (3, "int32"), "UINT8": (4, "uint8"), "INT16": (6, "int16"),
           "UINT16": (7, "uint16"), "UINT32": (8, "uint32"), "INT64": (9, "int64"),
           "UINT64": (10, "uint64"), "DOUBLE": (11, "float64"), "BOOL": (12, "bool"),
           "COMPLEX64": (16, "complex64"), "COMPLEX128": (17, "complex128"),
           "BFLOAT16": (27, "bfloat16")}
_BY_NUMPY = {numpy_name: name for name, (_, numpy_name) in _DTYPES.items()}
# DLPack's kinds of number, with its number of bits.
_DLPACK = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_DLPACK_CPU = (1, 3)  # ordinary and page-locked memory
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


def dtype_name(value: Any) -> str:
    """"FLOAT16" of itself, of its number, of "float16", numpy.float16 and torch.float16."""
    if isinstance(value, int):
        value = next((name for name, (number, _) in _DTYPES.items() if number == value), value)
    if isinstance(value, str) and value.upper() in _DTYPES:
        return value.upper()
    text = str(value).rsplit(".", 1)[-1] if "torch" in type(value).__module__ else None
    name = text or getattr(value, "name", None)
    if name is None and not isinstance(value, int):
        name = numpy.dtype(value).name
    if name not in _BY_NUMPY:
        raise TypeError(f"{value!r} is no dtype of aclnn; they are {', '.join(_DTYPES)}")
    return _BY_NUMPY[name]


def dtype_number(name: str) -> int:
    return _DTYPES[name][0]


def numpy_name(name: str) -> str:
    return _DTYPES[name][1]


@dataclasses.dataclass
class View:
    """Memory of the host, described."""
    owner: Any  # what the caller has
    keep: Any  # what keeps the memory alive
    address: int
    dtype: str
    itemsize: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]  # in elements, not negative
    is_copy: bool = False

    @property
    def elements(self) -> int:
        """From the first to the last, gaps included."""
        if 0 in self.shape:
            return 0
        return 1 + sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides))

    @property
    def bytes(self) -> int:
        return self.elements * self.itemsize


def _of_numpy(array: numpy.ndarray, owner: Any) -> View:
    size = array.itemsize
    odd = any(stride < 0 or stride % size for stride in array.strides)
    if odd or not array.dtype.isnative:
        array = numpy.array(array, array.dtype.newbyteorder("="), order="C")
    return View(owner, array, array.ctypes.data, dtype_name(array.dtype), size, array.shape,
                tuple(stride // size for stride in array.strides), not _is_upon(array, owner))


def _is_upon(array: numpy.ndarray, owner: Any) -> bool:
    """Whether what is written to the array reaches the caller's object."""
    if not array.flags.writeable:
        return False
    return array is owner or (not isinstance(owner, (list, tuple)) and array.base is not None)


def _of_dlpack(owner: Any) -> View:
    kind = int(owner.__dlpack_device__()[0])
    if kind not in _DLPACK_CPU:
        raise TypeError(f"the array is on another device than the CPU (DLPack device {kind}); "
                        "copy it to the host first")
    capsule = owner.__dlpack__()
    tensor = _DLTensor.from_address(_pointer_of(capsule, b"dltensor"))
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    bits = "" if tensor.code == 6 else str(tensor.bits)
    dtype = dtype_name(_Named(_DLPACK.get(tensor.code, "unknown") + bits))
    if tensor.strides:
        strides = tuple(tensor.strides[i] for i in range(tensor.ndim))
    else:
        strides = dense(shape)
    return View(owner, capsule, (tensor.data or 0) + tensor.byte_offset, dtype, tensor.bits // 8,
                shape, strides)


class _Named:
    def __init__(self, name: str):
        self.name = name


def dense(shape: Sequence[int]) -> Tuple[int, ...]:
    strides = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def view(owner: Any) -> View:
    """Of an array, of anything with DLPack or a buffer, and of numbers and lists, which are copied."""
    if not hasattr(owner, "__array_interface__") and hasattr(owner, "__dlpack__"):
        return _of_dlpack(owner)
    return _of_numpy(numpy.asarray(owner), owner)


def empty(like: Any, shape: Sequence[int], dtype: str) -> Any:
    """A new array of the kind that `like` is: a tensor of PyTorch for one of PyTorch's, else NumPy's."""
    name = _DTYPES[dtype][1]
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(like, torch.Tensor):
        return torch.empty(tuple(shape), dtype=getattr(torch, name))
    if name == "bfloat16":
        if getattr(getattr(like, "dtype", None), "name", "") != name:
            raise TypeError("NumPy has no bfloat16 of its own: pass arrays of ml_dtypes.bfloat16, "
                            "tensors of PyTorch, or out=")
        return numpy.empty(shape, like.dtype)
    return numpy.empty(shape, name)

"""acl.util: between Python's objects and addresses. What is behind an address must be kept alive."""

import ctypes
import warnings
from typing import Tuple

import numpy

_TYPES = {numpy.dtype(code).num: numpy.dtype(code) for code in numpy.typecodes["All"]}


def bytes_to_ptr(data: bytes) -> int:
    """The address of the bytes themselves."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


def ptr_to_bytes(ptr: int, size: int) -> bytes:
    """A copy of the memory."""
    return ctypes.string_at(ptr, size)


def numpy_to_ptr(data: numpy.ndarray) -> int:
    """The address of the array's first element."""
    if not data.flags.c_contiguous:
        warnings.warn("numpy_to_ptr: the array is not contiguous, so that a copy from its address "
                      "takes other elements; use numpy_contiguous_to_ptr", stacklevel=2)
    return data.ctypes.data


def numpy_contiguous_to_ptr(data_in: numpy.ndarray) -> Tuple[int, numpy.ndarray]:
    """The address of the array or of a contiguous copy, and which of the two it is."""
    data_out = numpy.ascontiguousarray(data_in)
    return data_out.ctypes.data, data_out


def ptr_to_numpy(ptr: int, shape: Tuple[int, ...], type: int) -> numpy.ndarray:
    """An array upon the memory; `type` is the number of a type in NumPy's C interface."""
    dtype = _TYPES[type]
    count = int(numpy.prod(shape, dtype=numpy.int64))
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(ptr)
    return numpy.frombuffer(memory, dtype, count).reshape(shape)

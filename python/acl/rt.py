"""acl.rt: the runtime's functions, read from the toolkit's acl/acl_rt.h."""

import ctypes
import itertools

from aclimb import _toolkit

from . import _headers

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_numbers = itertools.count(1)
# What the callbacks that have not run yet call, by the number that C carries.
_waiting = {}


@_CALLBACK
def _run(number):
    fn, user_data_list = _waiting.pop(number)
    fn(user_data_list)


def launch_callback(fn, user_data_list, block_type, stream):
    """aclrtLaunchCallback: fn(user_data_list) on the thread that the stream reports to."""
    launch = _toolkit.library("libascendcl.so").aclrtLaunchCallback
    launch.argtypes = [_CALLBACK, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
    number = next(_numbers)
    _waiting[number] = fn, user_data_list
    code = launch(_run, number, block_type, stream)
    if code != 0:
        del _waiting[number]
    return code


def __getattr__(name):
    value = _headers.attribute(__name__, "rt.", name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_headers.names("rt.")})

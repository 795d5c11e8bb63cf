"""pyACL's runtime part on Aclimb: acl.rt, acl.util, and the constants of acl/acl.h.

Functions return what pyACL returns: the code alone, or a tuple with the code last. Pointers and
handles are integers.
"""

from . import _headers, rt, util

__all__ = ["init", "rt", "util"]


def init(config_path=None):
    """aclInit; without a configuration file, or with its path."""
    return _headers.function("init")(config_path)


def get_recent_err_msg():
    """aclGetRecentErrMsg: what the last call of this thread that failed had to say, or None."""
    return _headers.function("get_recent_err_msg")() or None


def get_soc_name():
    """aclrtGetSocName"""
    return rt.get_soc_name()


def __getattr__(name):
    constants = _headers.constants()
    if name in constants:
        value = constants[name]
    else:
        value = _headers.attribute(__name__, "", name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_headers.constants(), *_headers.names("")})

"""Aclimb for Python.

    import aclimb
    aclimb.activate()                  # before torch: device="npu" works without an NPU
    import torch

    aclimb.ops.softmax(x, -1)          # any aclnn operator on arrays of the host
    aclimb.reference.softmax(x, -1)    # what it has to give, in double
"""

import importlib
from typing import TYPE_CHECKING, Any

from ._toolkit import activate, root

if TYPE_CHECKING:
    from . import ops, reference
    from ._call import Error

__all__ = ["Error", "activate", "ops", "reference", "root"]


# On first use: programs that only activate() need no NumPy.
def __getattr__(name: str) -> Any:
    if name in ("ops", "reference"):
        return importlib.import_module("." + name, __name__)
    if name == "Error":
        return importlib.import_module("._call", __name__).Error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

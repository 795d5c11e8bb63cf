"""Aclimb for Python.

    import aclimb
    aclimb.activate()          # before torch: device="npu" now works without an NPU
    import torch

    aclimb.ops.Add(a, b, 1)    # any aclnn operator on NumPy arrays or PyTorch's CPU tensors
    aclimb.reference.Add(a, b, 1)   # what it has to give, in double
"""

from ._toolkit import activate, root

__all__ = ["activate", "root"]

"""The AscendCL interface from Python, by ctypes: enough to run one operator on torch tensors.

It is a client like any other: it loads libopapi.so and finds every function through that one handle.
"""

import ctypes
import os

import torch

DTYPES = {
    torch.float32: 0, torch.float16: 1, torch.int8: 2, torch.int32: 3, torch.uint8: 4, torch.int16: 6,
    torch.int64: 9, torch.float64: 11, torch.bool: 12, torch.bfloat16: 27,
}
ND, NCHW, NCDHW, NCL = 2, 0, 30, 47
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


class AclError(RuntimeError):
    pass


class Client:
    def __init__(self, library=None):
        path = library or os.environ.get("ACLIMB_LIBRARY", "libopapi.so")
        self.lib = ctypes.CDLL(path)
        self.lib.aclGetRecentErrMsg.restype = ctypes.c_char_p
        for name in ("aclCreateTensor", "aclCreateScalar", "aclCreateIntArray", "aclCreateBoolArray",
                     "aclCreateTensorList", "aclCreateScalarList"):
            getattr(self.lib, name).restype = ctypes.c_void_p
        self.check(self.lib.aclInit(None), "aclInit")
        self.check(self.lib.aclrtSetDevice(0), "aclrtSetDevice")
        self.called = set()
        self.stream = ctypes.c_void_p()
        self.check(self.lib.aclrtCreateStream(ctypes.byref(self.stream)), "aclrtCreateStream")

    def check(self, code, name):
        if code:
            raise AclError(f"{name}: {code}\n{self.lib.aclGetRecentErrMsg().decode()}")

    def malloc(self, size):
        address = ctypes.c_void_p()
        code = self.lib.aclrtMalloc(ctypes.byref(address), ctypes.c_size_t(max(1, size)), 0)
        self.check(code, "aclrtMalloc")
        return address

    def free(self, address):
        self.check(self.lib.aclrtFree(address), "aclrtFree")

    def copy(self, to, source, size, kind):
        if size:
            size = ctypes.c_size_t(size)
            self.check(self.lib.aclrtMemcpy(to, size, source, size, kind), "aclrtMemcpy")

    def tensor(self, value, format=ND):
        return Tensor(self, value, format)

    def scalar(self, value):
        number = ctypes.c_int64(value) if isinstance(value, int) else ctypes.c_float(value)
        dtype = DTYPES[torch.int64 if isinstance(value, int) else torch.float32]
        return ctypes.c_void_p(self.lib.aclCreateScalar(ctypes.byref(number), dtype))

    def ints(self, values):
        array = (ctypes.c_int64 * len(values))(*values)
        return ctypes.c_void_p(self.lib.aclCreateIntArray(array, ctypes.c_uint64(len(values))))

    def tensors(self, values):
        """A list of Tensors, which stay the caller's."""
        handles = (ctypes.c_void_p * len(values))(*(value.handle for value in values))
        return ctypes.c_void_p(self.lib.aclCreateTensorList(handles, ctypes.c_uint64(len(values))))

    def scalars(self, values):
        handles = (ctypes.c_void_p * len(values))(*(self.scalar(value) for value in values))
        return ctypes.c_void_p(self.lib.aclCreateScalarList(handles, ctypes.c_uint64(len(values))))

    def bools(self, values):
        array = (ctypes.c_bool * len(values))(*values)
        return ctypes.c_void_p(self.lib.aclCreateBoolArray(array, ctypes.c_uint64(len(values))))

    def run(self, name, *arguments):
        """Both phases of `name` and a synchronise. `called` has the names of all that were run."""
        self.called.add(name)
        size = ctypes.c_uint64()
        executor = ctypes.c_void_p()
        passed = [a.handle if isinstance(a, Tensor) else a for a in arguments]
        phase1 = getattr(self.lib, name + "GetWorkspaceSize")
        self.check(phase1(*passed, ctypes.byref(size), ctypes.byref(executor)), name + " phase 1")
        workspace = self.malloc(size.value) if size.value else ctypes.c_void_p()
        phase2 = getattr(self.lib, name)
        self.check(phase2(workspace, size, executor, self.stream), name + " phase 2")
        self.check(self.lib.aclrtSynchronizeStream(self.stream), "aclrtSynchronizeStream")
        if workspace:
            self.free(workspace)


class Tensor:
    """A device copy of the whole storage of a torch tensor, described with the tensor's own view."""

    def __init__(self, client, value, format):
        self.client = client
        self.value = value
        storage = value.storage()
        self.bytes = storage.nbytes() if hasattr(storage, "nbytes") else len(storage) * value.element_size()
        self.address = client.malloc(self.bytes)
        client.copy(self.address, ctypes.c_void_p(storage.data_ptr()), self.bytes, HOST_TO_DEVICE)
        rank = value.dim()
        dims = (ctypes.c_int64 * max(1, rank))(*value.shape)
        strides = (ctypes.c_int64 * max(1, rank))(*value.stride())
        elements = (ctypes.c_int64 * 1)(self.bytes // value.element_size())
        self.handle = ctypes.c_void_p(client.lib.aclCreateTensor(
            dims, ctypes.c_uint64(rank), DTYPES[value.dtype], strides,
            ctypes.c_int64(value.storage_offset()), format, elements, ctypes.c_uint64(1), self.address))
        if not self.handle:
            raise AclError(client.lib.aclGetRecentErrMsg().decode())

    def read(self):
        """Copies the device's bytes back into the torch tensor and returns it."""
        storage = self.value.storage()
        self.client.copy(ctypes.c_void_p(storage.data_ptr()), self.address, self.bytes, DEVICE_TO_HOST)
        return self.value

    def __del__(self):
        self.client.lib.aclDestroyTensor(self.handle)
        self.client.lib.aclrtFree(self.address)

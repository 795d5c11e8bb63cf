"""Python's multiprocessing around the library: an operator in the parent, then in its children.

  multiprocessing_test.py <folder of the libraries>
"""

import array
import ctypes
import multiprocessing
import os
import pathlib
import sys
import threading

# A child that takes longer hangs.
PATIENCE = 60
SMALL, LARGE = 1000, 3000000
FLOAT, ND = 0, 2
TO_DEVICE, TO_HOST = 1, 2


class Library:
    """The AscendCL interface by ctypes, as frameworks load it: one handle has every function."""

    def __init__(self, folder):
        self.lib = ctypes.CDLL(str(pathlib.Path(folder, "libopapi.so")))
        self.lib.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self.lib.aclCreateTensor.restype = ctypes.c_void_p
        self.lib.aclCreateScalar.restype = ctypes.c_void_p
        self.stream = ctypes.c_void_p()
        self.call("aclrtSetDevice", 0)
        self.call("aclrtCreateStream", ctypes.byref(self.stream))

    def call(self, name, *arguments):
        code = getattr(self.lib, name)(*arguments)
        if code:
            raise RuntimeError(f"{name}: {code} {self.lib.aclGetRecentErrMsg().decode()}")

    def tensor(self, count, value):
        host = (ctypes.c_float * count).from_buffer(array.array("f", [value]) * count)
        size = ctypes.c_size_t(ctypes.sizeof(host))
        address = ctypes.c_void_p()
        self.call("aclrtMalloc", ctypes.byref(address), size, 0)
        self.call("aclrtMemcpy", address, size, host, size, TO_DEVICE)
        shape = (ctypes.c_int64 * 1)(count)
        one = (ctypes.c_int64 * 1)(1)
        handle = self.lib.aclCreateTensor(shape, ctypes.c_uint64(1), FLOAT, one, ctypes.c_int64(0),
                                          ND, shape, ctypes.c_uint64(1), address)
        return ctypes.c_void_p(handle), address

    def elu(self, count):
        """Whether the gradient of Elu at 1 is what comes in."""
        number = ctypes.c_float(1)
        one = ctypes.c_void_p(self.lib.aclCreateScalar(ctypes.byref(number), FLOAT))
        (grad, a), (value, b), (out, c) = (self.tensor(count, x) for x in (2, 1, -7))
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        self.call("aclnnEluBackwardGetWorkspaceSize", grad, one, one, one, ctypes.c_bool(False),
                  value, out, ctypes.byref(size), ctypes.byref(executor))
        self.call("aclnnEluBackward", None, ctypes.c_uint64(0), executor, self.stream)
        self.call("aclrtSynchronizeStream", self.stream)
        host = (ctypes.c_float * count)()
        bytes_ = ctypes.c_size_t(ctypes.sizeof(host))
        self.call("aclrtMemcpy", host, bytes_, c, bytes_, TO_HOST)
        for tensor in (grad, value, out):
            self.call("aclDestroyTensor", tensor)
        for address in (a, b, c):
            self.call("aclrtFree", address)
        self.call("aclDestroyScalar", one)
        return bytes(host) == (array.array("f", [2]) * count).tobytes()


# The parent's, which a forked child has too and a spawned one makes for itself.
library = None


def work(argument):
    folder, count = argument
    global library
    if library is None:
        library = Library(folder)
    return os.getpid(), library.elu(count)


def check(results):
    for process, right in results:
        if process == os.getpid() or not right:
            sys.exit(f"process {process} of {os.getpid()}: the result is wrong")


def in_pool(method, folder):
    counts = [SMALL, LARGE, SMALL, LARGE // 2]
    with multiprocessing.get_context(method).Pool(2) as pool:
        check(pool.map_async(work, [(folder, count) for count in counts]).get(PATIENCE))


def put(folder, count, queue):
    queue.put(work((folder, count)))


def in_process(method, folder):
    context = multiprocessing.get_context(method)
    for count in (SMALL, LARGE):
        queue = context.Queue()
        process = context.Process(target=put, args=(folder, count, queue))
        process.start()
        check([queue.get(timeout=PATIENCE)])
        process.join(PATIENCE)
        if process.exitcode != 0:
            sys.exit(f"{method}: a process ended with {process.exitcode}")


def main(folder):
    global library
    library = Library(folder)
    for method in ("fork", "spawn", "forkserver"):
        for count in (SMALL, LARGE):
            if not library.elu(count):
                sys.exit("the parent's result is wrong")
        in_process(method, folder)
        in_pool(method, folder)
    # Another thread of the parent is at work while the children begin.
    mine, stop = Library(folder), threading.Event()

    def keep_busy():
        mine.call("aclrtSetDevice", 0)
        while not stop.is_set():
            mine.elu(SMALL)

    thread = threading.Thread(target=keep_busy)
    thread.start()
    in_process("fork", folder)
    in_pool("fork", folder)
    stop.set()
    thread.join()
    if not library.elu(LARGE):
        sys.exit("the parent's result is wrong")


if __name__ == "__main__":
    main(sys.argv[1])

"""What the crosscheck.py of families share: one call of a function, beside PyTorch's of the same name."""

import ctypes
import math

import torch

from comparison import Mismatch, Worst, compare, poisoned, view_of

FLOATS = [torch.float32, torch.float16, torch.bfloat16]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
# Elements of a tensor.
MOST = 2**18
ELEMENTS = [*FLOATS, torch.float64, *INTEGERS, torch.bool]


def part_of(shape, rng):
    """A shape that broadcasts to this one."""
    part = shape[rng.randint(0, len(shape)):] if rng.random() < 0.2 else shape
    return [1 if rng.random() < 0.15 else extent for extent in part]


def shape_of(rng, ranks=(0, 4), longest=40):
    shape = [rng.randint(1, longest if rng.random() < 0.3 else 7) for _ in range(rng.randint(*ranks))]
    while math.prod(shape) > MOST:
        shape[shape.index(max(shape))] //= 2
    return shape


def reduced(shape, dims, keep):
    """The shape that a reduction of these dimensions leaves."""
    return [1 if d in dims else extent for d, extent in enumerate(shape) if keep or d not in dims]


def terms_of(*tensors):
    """The scale of a sum of these tensors' elements."""
    return sum(tensor.double().abs() for tensor in tensors) * 256


class Result:
    """A tensor that a call writes: what stands there before it, poison if nothing, and what is expected.

    Every bit counts where `exact`; else scale is that of compare(), and without one that of a result in
    which nothing cancels. theirs is PyTorch's own result in this dtype, to be told beside ours.
    """

    def __init__(self, expected, dtype=None, scale=None, exact=False, before=None, theirs=None):
        self.expected, self.dtype = expected, dtype or expected.dtype
        self.scale, self.exact, self.before, self.theirs = scale, exact, before, theirs

    def start(self, client, rng):
        before = self.before
        view = poisoned(list(self.expected.shape), self.dtype, rng) if before is None else view_of(before.clone(), rng)
        self.tensor = client.tensor(view)
        return self.tensor

    def judge(self, worst, what):
        got = self.tensor.read()
        if self.exact:
            expected = self.expected.to(self.dtype)
            different = (got != expected) & ~((got != got) & (expected != expected))
            if different.any():
                at = tuple(different.nonzero()[0].tolist())
                raise Mismatch(f"{what}: {int(different.sum())} elements differ, first at {list(at)}: "
                               f"got {got[at]}, expected {expected[at]}")
            return
        rounded = self.expected.to(self.dtype)
        expected = torch.where(rounded.isinf(), rounded.double(), self.expected.double())
        scale = expected.abs() if self.scale is None else self.scale
        compare(worst, got, expected, self.dtype, scale, what, self.theirs)


def wide(tensor):
    """Its values in float64, of integers the tensor itself."""
    return tensor.double() if tensor.is_floating_point() else tensor


def elements(shape, dtype):
    """Random elements of any dtype: about zero, integers of all signs, both truth values."""
    if dtype.is_floating_point:
        return (torch.randn(shape) * 2).to(dtype)
    return torch.randint(*((0, 2) if dtype == torch.bool else (-100, 100)), shape).to(dtype)


def gradients(function, self):
    """A gradient of the result of a function of self, in its dtype, that of self, and the scale of its sums."""
    leaf = self.double().requires_grad_()
    result = function(leaf)
    gradient = elements(list(result.shape), self.dtype)
    terms = torch.autograd.grad(result, leaf, gradient.double().abs(), retain_graph=True)[0].abs() * 256
    return gradient, torch.autograd.grad(result, leaf, gradient.double())[0], terms


def some_dim(rng, rank):
    """A dimension, and how it is passed: counted from the front or from the end."""
    dim = rng.randrange(rank or 1)
    return dim, rng.choice([dim, dim - (rank or 1)])


def with_twins(names, of):
    """All names, and of some of them the twin in place."""
    return [*names, *("Inplace" + name for name in of)]


def plain(name):
    """The name of a function, of a twin in place that of the function that it is the twin of."""
    return name.removeprefix("Inplace")


def around(name, self, middle, result):
    """The arguments of a function with `middle` between self and the result, or of its twin in place."""
    if not name.startswith("Inplace"):
        return [self, *middle, result]
    result.before = self
    return [result, *middle]


def call(client, rng, worst, name, *arguments, about=""):
    """Runs aclnn<name>(arguments...) once and judges every Result among them.

    Tensors, alone and in lists, get views of their own; numbers and lists of them become what C takes
    for int64_t, bool, double and aclIntArray*; functions give what the client passes, a ctypes value
    for instance, and anything else is passed as it is. `about` is told of a mismatch, beside the shapes.
    """
    kept = []

    def passed(argument):
        if isinstance(argument, Result):
            return argument.start(client, rng)
        if torch.is_tensor(argument):
            return client.tensor(view_of(argument, rng))
        if isinstance(argument, list):
            if argument and not isinstance(argument[0], int):
                kept.append([passed(item) for item in argument])
                return client.tensors(kept[-1])
            return client.ints(argument)
        for kind, of in ((bool, ctypes.c_bool), (int, ctypes.c_int64), (float, ctypes.c_double)):
            if isinstance(argument, kind):
                return of(argument)
        return argument() if callable(argument) else argument

    client.run("aclnn" + name, *[passed(argument) for argument in arguments])
    flat = [item for argument in arguments for item in (argument if isinstance(argument, list) else [argument])]
    told = [f"{list(item.shape)} {Worst.name(item.dtype)}" for item in flat if torch.is_tensor(item)]
    results = [item for item in flat if isinstance(item, Result)]
    for position, result in enumerate(results):
        where = f" of result {position}" if len(results) > 1 else ""
        result.judge(worst, f"{name}{where} {', '.join(told)} -> {Worst.name(result.dtype)} {about}")


def run(client, rng, worst, name, arguments, shape, reference, scale=None, behind=(), peer=True,
        result=None, exact=False):
    """Runs aclnn<name>(arguments..., out, behind...) and compares `out` with reference(*tensors); of a twin in place
    the first argument is `out` too.

    result is the dtype of `out`, where it is not the first tensor's. PyTorch's own result in the
    problem's dtype is told beside ours if peer says so and PyTorch has it on a CPU. The rest is as in
    Result and call().
    """
    tensors = [argument for argument in arguments if torch.is_tensor(argument)]
    dtype = result or tensors[0].dtype
    expected = reference(*(tensors if exact else map(wide, tensors)))
    if list(expected.shape) != list(shape):
        raise Mismatch(f"{name}: the reference has the shape {list(expected.shape)}, not {list(shape)}")
    theirs = None
    if peer and not exact:
        try:
            theirs = reference(*tensors)
        except RuntimeError as error:
            if "not implemented for" not in str(error):
                raise
    out = Result(expected, dtype, scale, exact, theirs=theirs)
    call(client, rng, worst, name, *around(name, arguments[0], arguments[1:], out), *behind)

"""What the crosscheck.py of families share: one call of a function, beside PyTorch's of the same name."""

import torch

from comparison import Mismatch, compare, poisoned, view_of

FLOATS = [torch.float32, torch.float16, torch.bfloat16]


def part_of(shape, rng):
    """A shape that broadcasts to this one."""
    part = shape[rng.randint(0, len(shape)):] if rng.random() < 0.2 else shape
    return [1 if rng.random() < 0.15 else extent for extent in part]


def shape_of(rng, ranks=(0, 4), longest=40):
    return [rng.randint(1, longest if rng.random() < 0.3 else 7) for _ in range(rng.randint(*ranks))]


def reduced(shape, dims, keep):
    """The shape that a reduction of these dimensions leaves."""
    return [1 if d in dims else extent for d, extent in enumerate(shape) if keep or d not in dims]


def terms_of(*tensors):
    """The scale of a sum of these tensors' elements."""
    return sum(tensor.abs().double() for tensor in tensors) * 256


def run(client, rng, worst, name, arguments, shape, reference, scale=None, behind=(), peer=True,
        result=None, exact=False):
    """Runs aclnn<name>(arguments..., out, behind...) and compares `out` with reference(*tensors).

    Tensors among the arguments get views of their own; functions give what the client passes, a
    ctypes value for instance. scale is that of compare(), and without one that of a result in which
    nothing cancels. PyTorch's own result in the problem's dtype is told beside ours if peer says so
    and PyTorch has it on a CPU. result is the dtype of `out`, where it is not the first tensor's.
    exact: the function only moves elements, and every bit counts.
    """
    tensors = [argument for argument in arguments if torch.is_tensor(argument)]
    dtype = result or tensors[0].dtype
    out = client.tensor(poisoned(shape, dtype, rng))
    views = [client.tensor(view_of(a, rng)) if torch.is_tensor(a) else a() for a in arguments]
    client.run("aclnn" + name, *views, out, *(argument() for argument in behind))
    shapes = [list(t.shape) for t in tensors]
    if exact:
        if not torch.equal(out.read(), reference(*tensors)):
            raise Mismatch(f"{name} {shapes} {dtype}: elements differ")
        return
    wide = [t.double() if t.is_floating_point() else t for t in tensors]
    expected = reference(*wide)
    rounded = expected.to(dtype)
    expected = torch.where(rounded.isinf(), rounded.double(), expected.double())
    theirs = None
    if peer:
        try:
            theirs = reference(*tensors)
        except RuntimeError as error:
            if "not implemented for" not in str(error):
                raise
    scale = expected.abs() if scale is None else scale
    compare(worst, out.read(), expected, dtype, scale, f"{name} {shapes} {dtype}", theirs)

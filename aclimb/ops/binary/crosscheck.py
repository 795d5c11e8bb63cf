"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, part_of, run, shape_of, terms_of

# Two tensors.
CALLS = {
    "Mul": torch.mul, "Div": torch.div, "Maximum": torch.maximum, "Minimum": torch.minimum,
    "FloorDivide": torch.floor_divide, "Atan2": torch.atan2, "LogAddExp": torch.logaddexp,
    "LogAddExp2": torch.logaddexp2, "XLogYTensor": torch.xlogy, "PowTensorTensor": torch.pow,
    "RemainderTensorTensor": torch.remainder, "FmodTensor": torch.fmod,
}
# Two tensors, and the second one's factor.
SUMS = {"Add": torch.add, "Sub": torch.sub, "Rsub": torch.rsub}
# A tensor and a number.
SCALARS = {
    "Muls": torch.mul, "Divs": torch.div, "PowTensorScalar": torch.pow, "XLogYScalarOther": torch.xlogy,
    "RemainderTensorScalar": torch.remainder, "FmodScalar": torch.fmod, "FloorDivides": torch.floor_divide,
}
COMPARISONS = {"Eq": torch.eq, "Ne": torch.ne, "Gt": torch.gt, "Ge": torch.ge, "Lt": torch.lt, "Le": torch.le}
# A quotient that PyTorch rounds to the dtype before it is cut to a whole number jumps with that rounding.
JUMPS = {"FloorDivide", "FloorDivides", "RemainderTensorTensor", "RemainderTensorScalar", "FmodTensor", "FmodScalar"}


def check(client, rng, worst):
    name = rng.choice(sorted([*CALLS, *SUMS, *SCALARS, *COMPARISONS]))
    shape = shape_of(rng)
    # Small whole numbers meet no jump half-way.
    whole = name in JUMPS or name in COMPARISONS
    draw = (lambda s: torch.randint(-9, 10, s).float()) if whole else torch.randn
    dtype = rng.choice(FLOATS)
    a, b = (draw(part_of(shape, rng)).to(dtype) for _ in range(2))
    if whole and name not in COMPARISONS:
        b = b + (b == 0)
    shape = list(torch.broadcast_shapes(a.shape, b.shape))
    if name == "PowTensorTensor":
        a = (a.abs() + 0.25).to(dtype)
    if name in CALLS:
        # A logarithm of a sum may be near 0.
        scale = terms_of(a, b) if name.startswith("LogAddExp") else None
        return run(client, rng, worst, name, [a, b], shape, CALLS[name], scale=scale)
    number = float(torch.tensor(float(rng.randint(1, 9)) / (1 if whole else 4)))
    scalar = lambda: client.scalar(number)  # noqa: E731
    if name in SUMS:
        function = SUMS[name]
        return run(client, rng, worst, name, [a, b, scalar], shape, lambda x, y: function(x, y, alpha=number),
                   scale=terms_of(a, b) * max(1, number))
    if name in SCALARS:
        function = SCALARS[name]
        a = a.abs() if name == "PowTensorScalar" else a
        return run(client, rng, worst, name, [a, scalar], list(a.shape), lambda x: function(x, number))
    function = COMPARISONS[name]
    if rng.random() < 0.5:
        return run(client, rng, worst, name + "Tensor", [a, b], shape, lambda x, y: function(x, y).to(x.dtype))
    return run(client, rng, worst, name + "Scalar", [a, scalar], list(a.shape),
               lambda x: function(x, number).to(x.dtype))

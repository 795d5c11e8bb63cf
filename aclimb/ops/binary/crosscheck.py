"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import ELEMENTS, FLOATS, INTEGERS, part_of, plain, run, shape_of, terms_of, with_twins

# Two tensors.
PAIRS = {
    "Mul": torch.mul, "Div": torch.div, "Maximum": torch.maximum, "Minimum": torch.minimum,
    "FloorDivide": torch.floor_divide, "Atan2": torch.atan2, "LogAddExp": torch.logaddexp,
    "LogAddExp2": torch.logaddexp2, "XLogYTensor": torch.xlogy, "PowTensorTensor": torch.pow,
    "RemainderTensorTensor": torch.remainder, "FmodTensor": torch.fmod,
}
# Two operands, and the second one's factor; a number stands for the second tensor behind an s.
SUMS = {"Add": torch.add, "Sub": torch.sub, "Rsub": torch.rsub}
# A tensor and a number.
NUMBERS = {
    "Muls": torch.mul, "Divs": torch.div, "PowTensorScalar": torch.pow, "XLogYScalarOther": torch.xlogy,
    "RemainderTensorScalar": torch.remainder, "FmodScalar": torch.fmod, "FloorDivides": torch.floor_divide,
}
# A number and a tensor.
NUMBER_FIRST = {"PowScalarTensor": torch.pow, "RemainderScalarTensor": torch.remainder, "XLogYScalarSelf": torch.xlogy}
QUOTIENTS = ["DivMod", "DivMods"]
MODES = [None, "trunc", "floor"]
# Of all dtypes; a number stands for the second tensor in twins that end with Scalar instead of Tensor.
TESTS = {"Eq": torch.eq, "Ne": torch.ne, "Gt": torch.gt, "Ge": torch.ge, "Lt": torch.lt, "Le": torch.le}
LOGIC = {"LogicalAnd": torch.logical_and, "LogicalOr": torch.logical_or, "LogicalXor": torch.logical_xor}
BITS = {"BitwiseAnd": torch.bitwise_and, "BitwiseOr": torch.bitwise_or, "BitwiseXor": torch.bitwise_xor}
EXACT = {name + kind: function for name, function in [*TESTS.items(), *BITS.items()] for kind in ("Tensor", "Scalar")}
EXACT.update(LOGIC)
ALL = [*PAIRS, *SUMS, *(name + "s" for name in SUMS), *NUMBERS, *NUMBER_FIRST, *QUOTIENTS, *EXACT]
WITHOUT_TWIN = {"Rsub", "Rsubs", "Maximum", "Minimum", "LogAddExp", "LogAddExp2", "LogicalXor", *NUMBER_FIRST}
FUNCTIONS = with_twins(ALL, [name for name in ALL if name not in WITHOUT_TWIN])
# A quotient that PyTorch rounds to the dtype before it is cut to a whole number jumps with that rounding.
JUMPS = ("FloorDivide", "Remainder", "Fmod", "DivMod")
# Of these integers too, as documented; of others the results have fractions.
LONG = [torch.int64, torch.int32]
WHOLE = {"Mul": INTEGERS, "Add": INTEGERS, "Sub": INTEGERS, "Rsub": INTEGERS, "Max": INTEGERS, "Min": INTEGERS,
         "FloorDivide": INTEGERS, "DivMod": INTEGERS, "Remainder": LONG, "Fmod": [*LONG, torch.int8, torch.uint8]}


def operands(rng, name, dtype, in_place):
    """Two tensors that broadcast, the second to the first in place, and a number."""
    whole = name.startswith(JUMPS) or name in EXACT or not dtype.is_floating_point
    # Small whole numbers meet no jump half-way.
    drawn = (lambda of: torch.randint(-9, 10, of).to(dtype)) if whole else (lambda of: torch.randn(of).to(dtype))
    shape = shape_of(rng)
    a, b = drawn(shape if in_place else part_of(shape, rng)), drawn(part_of(shape, rng))
    if in_place and b.dim() > a.dim():
        b = b.view(a.shape)
    number = rng.randint(1, 9) / (1 if whole else 4)
    if name.startswith("Pow"):
        a = (a.abs() + 0.25).to(dtype) if name == "PowTensorTensor" else a.abs()
    if name.startswith(JUMPS):
        b = b + (b == 0)
    if dtype == torch.bool:
        return a, b, bool(number > 4)
    return a, b, number if dtype.is_floating_point else int(number)


def test(client, rng, worst, name, in_place):
    """A comparison of any dtype, or bits of whole numbers."""
    function, bits = EXACT[plain(name)], "Bitwise" in name
    # A number is wider than BOOL.
    kinds = ELEMENTS if not bits else INTEGERS if name.endswith("Scalar") else [*INTEGERS, torch.bool]
    a, b, number = operands(rng, plain(name), rng.choice(kinds), in_place)
    result = a.dtype if bits or in_place else rng.choice(ELEMENTS)
    if name.endswith("Scalar"):
        number = int(number)
        return run(client, rng, worst, name, [a, lambda: client.scalar(number)], list(a.shape),
                   lambda x: function(x, number).to(result), exact=True, result=result)
    return run(client, rng, worst, name, [a, b], list(torch.broadcast_shapes(a.shape, b.shape)),
               lambda x, y: function(x, y).to(result), exact=True, result=result)


def check(client, rng, worst, name):
    in_place, of = name.startswith("Inplace"), plain(name)
    if of in EXACT:
        return test(client, rng, worst, name, in_place)
    kinds = next((kinds for start, kinds in WHOLE.items() if of.startswith(start)), [])
    dtype = rng.choice(kinds if kinds and rng.random() < 0.4 else FLOATS)
    mode = rng.randrange(0 if dtype.is_floating_point else 1, 3)
    a, b, number = operands(rng, of, dtype, in_place)
    shape, exact = list(torch.broadcast_shapes(a.shape, b.shape)), not dtype.is_floating_point

    def does(passed, shape, function, scale=None):
        run(client, rng, worst, name, passed, shape, function, scale=scale, exact=exact)

    passed = lambda: client.scalar(number)  # noqa: E731
    if of in QUOTIENTS:
        behind = lambda: ctypes.c_int(mode)  # noqa: E731
        divided = lambda x, y: torch.div(x, y, rounding_mode=MODES[mode])  # noqa: E731
        if of == "DivMods":
            return does([a, passed, behind], list(a.shape), lambda x: divided(x, number))
        return does([a, b, behind], shape, divided)
    if of in PAIRS:
        # A logarithm of a sum may be near 0.
        return does([a, b], shape, PAIRS[of], terms_of(a, b) if of.startswith("LogAddExp") else None)
    if of in SUMS:
        return does([a, b, passed], shape, lambda x, y: SUMS[of](x, y, alpha=number),
                    terms_of(a, b) * max(1, abs(number)))
    if of[:-1] in SUMS:
        other = rng.randint(-9, 9) / (1 if exact else 4)
        other = int(other) if exact else other
        return does([a, lambda: client.scalar(other), passed], list(a.shape),
                    lambda x: SUMS[of[:-1]](x, other, alpha=number),
                    (a.double().abs() + abs(other)) * max(1, abs(number)) * 256)
    if of in NUMBERS:
        return does([a, passed], list(a.shape), lambda x: NUMBERS[of](x, number))
    return does([passed, b], list(b.shape), lambda x: NUMBER_FIRST[of](number, x))

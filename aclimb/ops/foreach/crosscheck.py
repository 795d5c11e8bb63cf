"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, Result, call, elements, shape_of, wide

ALPHA, ONE, MANY, TENSOR, NONE = range(5)  # what number stands behind the lists

# The name, how many lists, the kind of number, and PyTorch's function of tensors and number.
CALLS = [
    ("AddListV2", 2, ALPHA, lambda a, b, s: torch.add(a, b, alpha=s)),
    ("SubListV2", 2, ALPHA, lambda a, b, s: torch.sub(a, b, alpha=s)),
    ("AddScalarV2", 1, ONE, torch.add), ("AddScalarList", 1, MANY, torch.add),
    ("SubScalarV2", 1, ONE, torch.sub), ("SubScalarList", 1, MANY, torch.sub),
    ("MulScalarV2", 1, ONE, torch.mul), ("MulScalarList", 1, MANY, torch.mul),
    ("DivScalarV2", 1, ONE, torch.div), ("DivScalarList", 1, MANY, torch.div),
    ("MaximumScalarV2", 1, ONE, torch.clamp_min), ("MinimumScalarV2", 1, ONE, torch.clamp_max),
    ("MulList", 2, NONE, torch.mul), ("DivList", 2, NONE, torch.div), ("MaximumList", 2, NONE, torch.maximum),
    ("AddcmulScalarV2", 3, ONE, lambda a, b, c, s: torch.addcmul(a, b, c, value=s)),
    ("AddcmulScalarList", 3, TENSOR, lambda a, b, c, s: torch.addcmul(a, b, c, value=s)),
    ("AddcdivScalarV2", 3, ONE, lambda a, b, c, s: torch.addcdiv(a, b, c, value=s)),
    ("AddcdivScalarList", 3, TENSOR, lambda a, b, c, s: torch.addcdiv(a, b, c, value=s)),
    ("AddcdivList", 3, TENSOR, lambda a, b, c, s: torch.addcdiv(a, b, c, value=s)),
    ("LerpScalar", 2, ONE, torch.lerp), ("LerpList", 3, NONE, torch.lerp),
    ("Sqrt", 1, NONE, torch.sqrt), ("Neg", 1, NONE, torch.neg), ("Reciprocal", 1, NONE, torch.reciprocal),
    ("Abs", 1, NONE, torch.abs), ("Exp", 1, NONE, torch.exp), ("Tanh", 1, NONE, torch.tanh),
    ("Sigmoid", 1, NONE, torch.sigmoid), ("ZeroInplace", 1, NONE, torch.zeros_like), ("Norm", 1, ONE, torch.norm),
    ("NonFiniteCheckAndUnscale", 1, TENSOR, torch.mul),
]
FUNCTIONS = ["Foreach" + name for name, *_ in CALLS]
# Of whole numbers too, as documented.
WHOLE = ("Add", "Sub", "Mul", "Max", "Min", "Neg", "Zero")


def terms_of(name, lists, number):
    """The scale where terms may cancel."""
    a, b, c = ([of.double().abs() for of in lists] + [0, 0])[:3]
    if name.startswith(("Add", "Sub", "Lerp")):
        product = b * c if "Addcmul" in name else b / c if "Addcdiv" in name else 1 if len(lists) == 1 else b
        factor = 1 if number is None else abs(number)
        product = c * (a + b) + a if name == "LerpList" else product
        return (a * 2 + product * factor + (a * factor if "Lerp" in name else 0)) * 256
    return None


def check(client, rng, worst, name):
    name, count, kind, function = CALLS[FUNCTIONS.index(name)]
    dtype = rng.choice(FLOATS + ([torch.int32] if name.startswith(WHOLE) and not name.startswith("Addcdiv") else []))
    tensors = rng.randint(1, 6)
    shapes = [shape_of(rng) for _ in range(tensors)]
    lists = [[elements(shape, dtype) for shape in shapes] for _ in range(count)]
    if name.startswith(("Div", "Addcdiv")) or name == "Sqrt":
        lists[-1] = [(of.abs() + 0.5).to(dtype) for of in lists[-1]]
    drawn = lambda: rng.choice([0.5, -1.25, 3.0] if dtype.is_floating_point else [1, -2, 3])  # noqa: E731
    numbers = [drawn() for _ in shapes] if kind in (MANY, TENSOR) else [drawn()] * tensors
    if name == "Norm":
        numbers = [rng.choice([1.0, 2.0])] * tensors
    if name == "NonFiniteCheckAndUnscale":
        numbers = numbers[:1] * tensors
        if rng.random() < 0.5:
            lists[0][-1].view(-1)[-1] = rng.choice([float("inf"), float("nan")])
    results = []
    for position, number in enumerate(numbers):
        mine = [of[position] for of in lists]
        used = [] if kind == NONE else [number]
        expected = function(*map(wide, mine), *used)
        terms = terms_of(name, mine, *(used or [None]))
        results.append(Result(expected, dtype, terms, exact=not dtype.is_floating_point))
    if name in ("ZeroInplace", "NonFiniteCheckAndUnscale"):
        for result, before in zip(results, lists[0]):
            result.before = before
        if name == "ZeroInplace":
            return call(client, rng, worst, "ForeachZeroInplace", results)
        found = torch.full([1], float(not all(of.isfinite().all() for of in lists[0])))
        return call(client, rng, worst, "Foreach" + name, results,
                    Result(found, exact=True, before=torch.zeros(1)), torch.full([1], numbers[0]))
    behind = {ALPHA: lambda: client.scalar(numbers[0]), ONE: lambda: client.scalar(numbers[0]),
              MANY: lambda: client.scalars(numbers), TENSOR: lambda: torch.tensor(numbers).to(dtype)}
    return call(client, rng, worst, "Foreach" + name, *lists, *([] if kind == NONE else [behind[kind]()]), results)

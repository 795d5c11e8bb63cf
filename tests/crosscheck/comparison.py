"""What the operators' crosscheck.py share: views, poison, and how far results may be off."""

import torch

RELATIVE = {torch.float64: 1e-10, torch.float32: 1e-4, torch.float16: 2e-3, torch.bfloat16: 1e-2}


def view_of(value, rng):
    """The same values behind other strides: permuted memory, gaps, an offset."""
    kind = rng.choice(["plain", "plain", "permuted", "gaps", "offset"])
    if kind == "plain" or value.dim() == 0 or value.numel() == 0:
        return value.contiguous()
    if kind == "permuted":
        order = list(range(value.dim()))
        rng.shuffle(order)
        inverse = [order.index(d) for d in range(value.dim())]
        return value.permute(order).contiguous().permute(inverse)
    if kind == "gaps":
        wide = torch.full([*value.shape[:-1], value.shape[-1] * 2 + 1], 7.0).to(value.dtype)
        view = wide[..., 1::2]
        view.copy_(value)
        return view
    flat = torch.full([value.numel() + 5], 7.0).to(value.dtype)
    view = flat[5:].view(value.shape)
    view.copy_(value)
    return view


def poisoned(shape, dtype, rng):
    return view_of(torch.full(shape, float("nan")).to(dtype), rng)


class Mismatch(Exception):
    pass


class Worst:
    """The largest errors: as shares of the bound, and Aclimb's and PyTorch's of each function and dtype,
    relative to the bound's scale, where cancellation does not make chance of them.
    """

    MARGIN = 1.5
    # Four units in the last place of float32, which functions may be off.
    NONE = 2.0**-21
    # Of fewer problems chance decides.
    LEAST = 20

    def __init__(self):
        self.of_bound, self.both = 0.0, {}

    def add(self, function, dtype, of_bound, ours, theirs):
        self.of_bound = max(self.of_bound, of_bound)
        if theirs is not None:
            before = self.both.get((function, dtype), (0.0, 0.0, 0))
            self.both[function, dtype] = (max(before[0], ours), max(before[1], theirs), before[2] + 1)

    def larger(self):
        return [f"{function} {self.name(dtype)}: errors up to {ours:.2e}, PyTorch's {theirs:.2e}"
                for (function, dtype), (ours, theirs, count) in self.both.items()
                if count >= self.LEAST and ours > max(self.MARGIN * theirs, self.NONE)]

    @staticmethod
    def name(dtype):
        return str(dtype).split(".")[-1]

    def text(self):
        lines = [f"largest error {self.of_bound:.3f} of its bound"]
        for dtype in sorted({dtype for _, dtype in self.both}, key=str):
            pairs = [pair for (_, of), pair in self.both.items() if of == dtype]
            lines.append(f"{self.name(dtype)} {max(pair[0] for pair in pairs):.2e} beside PyTorch's "
                         f"{max(pair[1] for pair in pairs):.2e}")
        return "; ".join(lines)


def compare(worst, got, expected, dtype, scale, what, peer=None):
    """|got - expected| <= relative * max(|expected|, 2^-8 * scale); scale = sum of |terms|.

    what begins with the function's name; peer is PyTorch's result in the problem's own dtype, or None.
    """
    if got.numel() == 0:
        return
    got, expected = got.double(), expected.double()
    bound = RELATIVE[dtype] * torch.maximum(expected.abs(), scale.double() * 2**-8) + 1e-7
    wrong = ~(((got - expected).abs() <= bound) | (got == expected) | (got.isnan() & expected.isnan()))
    if wrong.any():
        at = wrong.nonzero()[0].tolist()
        raise Mismatch(f"{what}: {int(wrong.sum())} of {wrong.numel()} differ, first at {at}: "
                       f"got {got[tuple(at)]}, expected {expected[tuple(at)]}")

    def largest(value, unit):
        return float(((value.double() - expected).abs() / unit).nan_to_num(nan=0.0, posinf=0.0).max())

    worst.add(what.split()[0], dtype, largest(got, bound), largest(got, scale.double()),
              None if peer is None else largest(peer, scale.double()))

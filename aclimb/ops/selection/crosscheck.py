"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import ELEMENTS, Result, around, call, elements, part_of, shape_of

FUNCTIONS = ["Equal", "IsClose", "IsInTensorScalar", "IsInScalarTensor", "MaskedSelect", "InplaceMaskedScatter", "Nonzero", "NonzeroV2"]


def then_zeros(found, count):
    """What a result holds that has room for `count` numbers."""
    return torch.cat([found.reshape(-1), found.new_zeros(count - found.numel())])


def compared(rng, name, self):
    """Equal or IsClose of self and nearly the same, sometimes of another shape or dtype."""
    other = self.clone()
    if rng.random() < 0.7:
        other.view(-1)[rng.randrange(self.numel())] = rng.choice([0, 1, 2])
    if name == "IsClose":
        other = torch.where(torch.rand(self.shape) < 0.5, other, elements(self.shape, self.dtype))
        if self.dtype.is_floating_point:
            other.view(-1)[-1] = self.view(-1)[-1] = float("nan")
        self, other = (self, other) if rng.random() < 0.5 else (self, other[:1] if self.dim() else other)
        # Whole numbers are compared exactly, halves in float32; no whole number is at the border.
        options = [rng.choice([0.0, 0.3171]), rng.choice([0.0, 0.7131]), rng.random() < 0.5]
        wide = torch.float32 if self.dtype in (torch.float32, torch.float16, torch.bfloat16) else torch.float64
        return [self, other, *options, Result(torch.isclose(self.to(wide), other.to(wide), *options), exact=True)]
    if rng.random() < 0.3:
        other = other.to(rng.choice(ELEMENTS))
    common = torch.result_type(self, other) if self.dim() else torch.promote_types(self.dtype, other.dtype)
    other = other[None] if rng.random() < 0.2 else other
    equal = torch.equal(self.to(common), other.to(common))
    return [self, other, Result(torch.full(rng.choice([[], [1]]), equal), exact=True)]


def among(client, rng, name, self):
    """A number, a whole one or none, beside a tensor."""
    number = rng.choice([self.flatten()[0].item(), rng.randint(-3, 3), 0.5])
    invert, unique = rng.random() < 0.5, rng.random() < 0.5
    same = torch.eq(self, number)
    if name == "IsInTensorScalar":
        return [self, client.scalar(number), unique, invert, Result(same != invert, exact=True)]
    found = (same.any() != invert).reshape(rng.choice([[], [1]]))
    return [client.scalar(number), self, unique, invert, Result(found, exact=True)]


def check(client, rng, worst, name):
    dtype, shape = rng.choice(ELEMENTS), shape_of(rng)
    if name.startswith("IsIn") and dtype == torch.bool:
        dtype = torch.int32
    self = elements(shape, dtype)
    self[torch.rand(shape) < 0.3] = 0
    mask = elements(part_of(shape, rng), torch.bool)
    if name == "MaskedSelect":
        arguments = [Result(then_zeros(self.masked_select(mask), self.numel()), exact=True)]
    elif name == "InplaceMaskedScatter":
        source = elements([self.numel() + rng.randint(0, 3)], dtype)
        arguments = around(name, self, [mask, source], Result(self.masked_scatter(mask, source), exact=True))
    elif "zero" in name:
        found = self.nonzero()
        room = [self.numel(), len(shape)]
        if name == "NonzeroV2":
            found, room = found.t(), room[::-1]
        arguments = [self, Result(then_zeros(found, self.numel() * len(shape)).view(room), exact=True)]
    elif name.startswith("IsIn"):
        arguments = among(client, rng, name, self)
    else:
        arguments = compared(rng, name, self)
    if name == "MaskedSelect":
        arguments = [self, mask, *arguments]
    # Masks of both dtypes.
    if rng.random() < 0.5:
        arguments = [item.byte() if item is mask else item for item in arguments]
    call(client, rng, worst, name, *arguments)

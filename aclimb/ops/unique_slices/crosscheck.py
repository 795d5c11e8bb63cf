"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import ELEMENTS, Result, call, shape_of, some_dim, wide

FUNCTIONS = ["UniqueConsecutive", "UniqueDim"]


def check(client, rng, worst, name):
    dtype, shape = rng.choice(ELEMENTS), shape_of(rng, ranks=(1, 3), longest=30)
    # Many are equal.
    self = torch.randint(0, rng.choice([2, 4]), shape).to(dtype)
    dim, given = some_dim(rng, len(shape))
    if name == "UniqueConsecutive" and rng.random() < 0.5:
        dim, given = None, 1000
    elif rng.random() < 0.5:
        self = self.index_select(dim, torch.arange(shape[dim]) // 2)
    inverse, counts = rng.random() < 0.7, name == "UniqueDim" or rng.random() < 0.7
    if name == "UniqueDim":
        # Slices as rows: older versions of PyTorch compare the elements of others in another order.
        slices = wide(self).movedim(dim, 0)
        found, of, count = torch.unique(slices.reshape(shape[dim], -1), return_inverse=True, return_counts=True, dim=0)
        found = found.view(-1, *slices.shape[1:]).movedim(0, dim)
        options = [rng.random() < 0.5, inverse, given]
    else:
        found, of, count = torch.unique_consecutive(wide(self), return_inverse=True, return_counts=True, dim=dim)
        options = [inverse, counts, given]
    room = lambda of, shape: torch.cat([of.flatten(), of.new_zeros(shape.numel() - of.numel())]).view(shape)  # noqa: E731
    whole = self.shape if dim is not None else torch.Size([self.numel()])
    lines = torch.Size([shape[dim] if dim is not None else self.numel()])
    nothing = torch.zeros(0).long()
    call(client, rng, worst, name, self, *options,
         Result(room(found, whole), dtype, exact=True),
         Result(of, exact=True) if inverse else nothing,
         Result(room(count, lines), exact=True) if counts else nothing)

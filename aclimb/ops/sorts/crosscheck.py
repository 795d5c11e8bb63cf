"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import ELEMENTS, Result, call, elements, shape_of, some_dim, wide

FUNCTIONS = ["Topk", "Kthvalue", "Sort", "Argsort", "Unique", "Unique2", "Median", "MedianDim"]


def exactly(*tensors):
    return [Result(tensor, exact=True) for tensor in tensors]


def unique(rng, name, self):
    inverse, counts = rng.random() < 0.7, rng.random() < 0.7
    found, of, count = torch.unique(wide(self), return_inverse=True, return_counts=True)
    room = lambda of: torch.cat([of, of.new_zeros(self.numel() - len(of))])  # noqa: E731
    results = [Result(room(found), self.dtype, exact=True)]
    results += exactly(of) if inverse else [torch.zeros(0).long()]
    if name == "Unique":
        return [self, rng.random() < 0.5, inverse, *results]
    results += exactly(room(count)) if counts else [torch.zeros(0).long()]
    return [self, rng.random() < 0.5, inverse, counts, *results]


def check(client, rng, worst, name):
    dtype, shape = rng.choice(ELEMENTS), shape_of(rng, ranks=(0, 3), longest=70)
    if not name.startswith("Unique") and dtype == torch.bool:
        dtype = torch.float32
    # Many are equal.
    self = elements(shape, dtype) if rng.random() < 0.5 else torch.randint(0, 9, shape).to(dtype)
    if name.startswith("Unique"):
        return call(client, rng, worst, name, *unique(rng, name, self))
    if dtype.is_floating_point and rng.random() < 0.3:
        self[torch.rand(shape) < 0.05] = float("nan")
    dim, given = some_dim(rng, len(shape))
    extent, keep, largest = shape[dim] if shape else 1, rng.random() < 0.5, rng.random() < 0.5
    descending = largest and name in ("Topk", "Sort", "Argsort")
    values, places = torch.sort(wide(self), dim=dim, stable=True, descending=descending)
    values = values.to(dtype)
    if name == "Sort":
        return call(client, rng, worst, name, self, rng.random() < 0.5, given, descending, *exactly(values, places))
    if name == "Argsort":
        return call(client, rng, worst, name, self, given, descending, *exactly(places))
    k = rng.randint(1, extent)
    if name == "Topk":
        first = [of.narrow(dim, 0, k) if shape else of for of in (values, places)]
        return call(client, rng, worst, name, self, k, given, largest, rng.random() < 0.5, *exactly(*first))
    if name == "Median":
        return call(client, rng, worst, name, self, *exactly(wide(self).median().to(dtype)))
    at = k - 1 if name == "Kthvalue" else (extent - 1) // 2
    chosen = [of.narrow(dim, at, 1) if shape else of for of in (values, places)]
    if name == "MedianDim" and dtype.is_floating_point:
        nan = self.isnan()
        first = nan.byte().argmax(dim, keepdim=True)
        some = nan.any(dim, keepdim=True)
        chosen = [torch.where(some, torch.full_like(chosen[0], float("nan")), chosen[0]),
                  torch.where(some, first, chosen[1])]
    if shape and not keep:
        chosen = [of.squeeze(dim) for of in chosen]
    options = [k, given, keep] if name == "Kthvalue" else [given, keep]
    return call(client, rng, worst, name, self, *options, *exactly(*chosen))

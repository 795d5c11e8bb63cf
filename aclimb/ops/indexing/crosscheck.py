"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import (ELEMENTS, FLOATS, INTEGERS, Result, around, call, elements, part_of, shape_of, some_dim, terms_of,
                     wide)

REDUCE = [None, "add", "multiply"]
FUNCTIONS = ["Gather", "Take", "InplacePut", "Scatter", "InplaceScatter", "ScatterValue", "InplaceScatterValue",
             "ScatterAdd", "IndexAdd", "IndexFillTensor", "InplaceIndexFillTensor", "Index", "IndexPutImpl", "Bincount"]


def some_type(index, rng):
    return index.to(rng.choice([torch.int64, torch.int32]))


def put(self, places, values, accumulate):
    """self with values at places in row-major order: the sum of equal ones, or the last."""
    flat, values = wide(self).reshape(-1).clone(), wide(values).reshape(-1)
    if not accumulate:
        for place, value in zip(places.reshape(-1).tolist(), values):
            flat[place] = value
        return Result(flat.view(self.shape), self.dtype, exact=True)
    terms = flat.double().abs().index_add(0, places.reshape(-1), values.double().abs()) * 256
    return Result(flat.index_add(0, places.reshape(-1), values).view(self.shape), self.dtype, terms.view(self.shape),
                  exact=not self.is_floating_point())


def by_dimensions(rng, name, dtype):
    """Index or IndexPutImpl, with indices for some dimensions."""
    self, shared = elements(shape_of(rng, ranks=(1, 4)), dtype), shape_of(rng, ranks=(1, 2), longest=9)
    # Of no elements where a dimension stays whole.
    count = rng.randint(1, self.dim())
    chosen = [d for d in range(count) if rng.random() < 0.7] or [count - 1]
    indices = [some_type(torch.randint(-extent, extent, part_of(shared, rng)), rng) if d in chosen else torch.empty([0])
               for d, extent in enumerate(self.shape[:count])]
    where = [index.long() if index.numel() else None for index in indices]
    # In Python's brackets an index of rank 0 would be no tensor.
    places = torch.ops.aten.index(torch.arange(self.numel()).view(self.shape), where)
    if name == "Index":
        return [self, indices, Result(torch.ops.aten.index(self, where), exact=True)]
    values, accumulate = elements(part_of(list(places.shape), rng), dtype), rng.random() < 0.5
    changed = put(self, places, values.expand(places.shape), accumulate)
    return around("Inplace", self, [indices, values, accumulate, rng.random() < 0.5], changed)


def by_numbers(rng, name, dtype):
    self = elements(shape_of(rng), dtype)
    index = torch.randint(-self.numel(), self.numel(), shape_of(rng, ranks=(0, 2)))
    if name == "Take":
        return [self, some_type(index, rng), Result(self.take(index), exact=True)]
    source, accumulate = elements(index.shape, dtype), rng.random() < 0.5
    return around(name, self, [some_type(index, rng), source, accumulate],
                  put(self, index % self.numel(), source, accumulate))


def along_dim(client, rng, name, dtype):
    shape = shape_of(rng)
    self, (dim, given) = elements(shape, dtype), some_dim(rng, len(shape))
    number = rng.choice([0.75, -2.5] if dtype.is_floating_point else [1, 0, 3])
    extent = shape[dim] if shape else 1
    if "Fill" in name:
        places = [rng.randrange(-extent, extent) for _ in range(rng.randint(1, 5))]
        filled = self.index_fill(dim, torch.tensor(places) % extent, number)
        return around(name, self, [given, places, client.scalar(number)], Result(filled, exact=True))
    if name == "IndexAdd":
        index = torch.randint(0, extent, [rng.randint(1, 9)] if shape else rng.choice([[], [1]]))
        source = elements([*shape[:dim], index.numel(), *shape[dim + 1:]] if shape else [], dtype)
        terms = self.double().abs().index_add(dim, index, source.double().abs(), alpha=abs(number)) * 256
        added = wide(self).index_add(dim, index, wide(source), alpha=number)
        return around(name, self, [given, some_type(index, rng), source, client.scalar(number)],
                      Result(added, dtype, terms, exact=not dtype.is_floating_point))
    index = torch.randint(0, extent, [rng.randint(1, 12 if d == dim and name != "Gather" else most)
                                      for d, most in enumerate(shape)])
    if name == "Gather":
        return [self, given, some_type(index, rng), Result(self.gather(dim, index), exact=True)]
    reduce = 1 if name == "ScatterAdd" else rng.randrange(3)
    source = number if "Value" in name else elements([most + rng.randint(0, 2) for most in index.shape], dtype)
    sizes = torch.as_tensor(source).double().abs().expand(index.shape if "Value" in name else source.shape)
    options = {"reduce": REDUCE[reduce]} if reduce else {}
    terms = self.double().abs().scatter(dim, index, sizes, **options)
    spread = wide(self).scatter(dim, index, wide(torch.as_tensor(source).to(dtype).expand(sizes.shape)), **options)
    result = Result(spread, dtype, terms * 256 if reduce == 1 else None, exact=not (reduce and dtype in FLOATS))
    passed = client.scalar(source) if "Value" in name else source
    how = [] if name == "ScatterAdd" else [reduce]
    return around(name, self, [given, some_type(index, rng), passed, *how], result)


def counted(rng):
    self, length = torch.randint(0, 30, [rng.randint(1, 500)]).to(rng.choice(INTEGERS)), rng.randint(0, 40)
    dtype = rng.choice([torch.float32, torch.float64, torch.int64, torch.int32])
    weights = elements(self.shape, dtype) if rng.random() < 0.7 else None
    of = weights if weights is None else weights.double()
    terms = weights if weights is None else torch.bincount(self, of.abs(), length) * 256
    sums = torch.bincount(self, of, length)
    return [self, weights, length, Result(sums, dtype, terms, exact=weights is None or not dtype.is_floating_point)]


def check(client, rng, worst, name):
    dtype = rng.choice(ELEMENTS)
    if "Fill" in name:
        dtype = rng.choice([*FLOATS, *INTEGERS[:2], torch.bool])
    arguments = (counted(rng) if name == "Bincount" else by_dimensions(rng, name, dtype) if name in FUNCTIONS[-3:] else
                 by_numbers(rng, name, dtype) if name in FUNCTIONS[1:3] else along_dim(client, rng, name, dtype))
    call(client, rng, worst, name, *arguments)

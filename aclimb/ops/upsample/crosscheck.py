"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, Result, call, elements, gradients, wide

aten = torch.ops.aten
CALLS = {"UpsampleNearest1d": aten.upsample_nearest1d.default, "UpsampleNearest2d": aten.upsample_nearest2d.default,
         "UpsampleLinear1d": aten.upsample_linear1d.default, "UpsampleBilinear2d": aten.upsample_bilinear2d.default,
         "UpsampleBicubic2d": aten.upsample_bicubic2d.default, "UpsampleNearest3d": aten.upsample_nearest3d.default,
         "UpsampleTrilinear3d": aten.upsample_trilinear3d.default}
FUNCTIONS = [*CALLS, *(name + "Backward" for name in CALLS)]


def check(client, rng, worst, name):
    of, backward = name.removesuffix("Backward"), name.endswith("Backward")
    nearest, rank = "Nearest" in of, int(of[-2])
    flat = nearest and rank < 3
    more = [torch.float64, torch.uint8] if flat and not backward else [torch.float64] if rank == 3 else []
    dtype = rng.choice(FLOATS + more)
    plane = [rng.randint(1, rng.choice([7, 40 if rank < 3 else 12])) for _ in range(rank)]
    # The forward functions of the nearest have no factors in one and two dimensions, as documented.
    factors = [rng.choice([None, 0.55, 0.7, 1.5, 2.0, 2.6]) if backward or not flat else None for _ in plane]
    # Factors tell the size, or have nothing to do with it, which PyTorch's linear gradients do not bear.
    follows = not nearest or rng.random() < 0.7
    size = [max(1, int(extent * factor)) if factor and follows
            else rng.choice([extent, 2 * extent, rng.randint(1, 40)]) for extent, factor in zip(plane, factors)]
    # PyTorch takes one channel for channels last, where it finds the nearest in another way.
    self = elements([rng.randint(1, 3), rng.randint(2, 5), *plane], dtype)
    align = [] if nearest else [rng.random() < 0.5]
    function = lambda x: CALLS[of](x, size, *align, *factors)  # noqa: E731
    passed = [*align, *(factor or 0.0 for factor in factors)]
    about = f"{size} {passed}"
    if backward:
        gradient, expected, terms = gradients(function, self)
        # The weights of a cubic curve have both signs.
        terms = terms.max().expand_as(terms) if "Bicubic" in of else terms
        return call(client, rng, worst, name, gradient, size, list(self.shape), *passed,
                    Result(expected, dtype, terms), about=about)
    terms = None if nearest else function(self.double().abs()) * 256
    terms = self.double().abs().max() * 256 * torch.ones(()) if "Bicubic" in of else terms
    result = Result(function(wide(self)), dtype, terms, exact=nearest)
    return call(client, rng, worst, name, self, size, *([] if flat else passed), result, about=about)

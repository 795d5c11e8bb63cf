"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch
import torch.nn.functional as functional

from problem import Result, call, elements

TYPES = [torch.float32, torch.float16, torch.float64, torch.int16, torch.int32, torch.int64, torch.int8, torch.uint8]
FUNCTIONS = ["MaxUnpool2d", "MaxUnpool2dBackward", "MaxUnpool3d", "MaxUnpool3dBackward"]


def check(client, rng, worst, name):
    volumes, backward = "3d" in name, name.endswith("Backward")
    planes = [rng.randint(1, 4) for _ in range(rng.randint(1, 2))]
    large = [rng.randint(1, 11 if volumes else 24) for _ in ("DHW" if volumes else "HW")]
    # Windows that do not overlap have places of their own.
    kernel = [rng.randint(1, min(3, extent)) for extent in large]
    pool = functional.max_pool3d if volumes else functional.max_pool2d
    pooled, places = pool(torch.randn(planes + large), kernel, return_indices=True)
    # The gradient in planes has no DOUBLE.
    dtype = rng.choice([other for other in TYPES if other != torch.float64 or volumes or not backward])
    self, indices = elements(list(pooled.shape), dtype), places.to(rng.choice([torch.int64, torch.int32]))
    passed = [large, *([kernel, [0, 0, 0]] if volumes else [])]
    if not backward:
        unpool = functional.max_unpool3d if volumes else functional.max_unpool2d
        expected = unpool(self.double(), places, kernel, output_size=large)
        return call(client, rng, worst, name, self, indices, *passed, Result(expected.to(dtype), dtype, exact=True))
    gradient = elements(planes + large, dtype)
    expected = gradient.flatten(len(planes)).gather(-1, places.flatten(len(planes))).view(places.shape)
    return call(client, rng, worst, name, gradient, self, indices, *passed, Result(expected, dtype, exact=True))

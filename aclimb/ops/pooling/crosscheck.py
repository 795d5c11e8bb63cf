"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch
import torch.nn.functional as functional

from problem import FLOATS, Result, call, elements, gradients

FORWARD = ["MaxPool2dWithMask", "MaxPool2dWithIndices", "MaxPool", "AvgPool2d", "AdaptiveAvgPool2d",
           "AdaptiveMaxPool2d", "Im2col", "MaxPool3dWithArgmax", "AvgPool3d", "AdaptiveAvgPool3d", "AdaptiveMaxPool3d"]
FUNCTIONS = FORWARD + [name + "Backward" for name in FORWARD if name != "MaxPool"]


def windows(rng, plane, dilated):
    """kernel, stride, padding and dilation of windows of which one fits. PyTorch wants half a kernel's padding at most,
    whatever the dilation.
    """
    dilation = [rng.choice([1, 1, 2, 3]) if dilated else 1 for _ in plane]
    kernel = [rng.randint(1, min(5, 1 + (extent - 1) // apart)) for extent, apart in zip(plane, dilation)]
    return kernel, [rng.randint(1, 4) for _ in plane], [rng.randint(0, size // 2) for size in kernel], dilation


def adaptive(rng, name, self):
    volumes = "3d" in name
    size = [rng.randint(1, 7) for _ in ("DHW" if volumes else "HW")]
    if "Avg" in name:
        pool = functional.adaptive_avg_pool3d if volumes else functional.adaptive_avg_pool2d
        function = lambda x: pool(x, size)  # noqa: E731
        if not name.endswith("Backward"):
            terms = function(self.double().abs()) * 256
            return [self, size, Result(function(self.double()), self.dtype, terms)]
        grad, expected, terms = gradients(function, self)
        return [grad, self, Result(expected, self.dtype, terms)]
    pool = functional.adaptive_max_pool3d if volumes else functional.adaptive_max_pool2d
    function = lambda x: pool(x, size, return_indices=True)  # noqa: E731
    out, places = function(self.double())
    places = places.int() if volumes else places
    if not name.endswith("Backward"):
        return [self, size, Result(out, self.dtype, exact=True), Result(places, exact=True)]
    grad, expected, terms = gradients(lambda x: function(x)[0], self)
    return [grad, self, places, Result(expected, self.dtype, terms)]


def columns(name, self, kernel, stride, padding, dilation):
    batches = lambda x: x.view(-1, *self.shape[-3:])  # noqa: E731
    function = lambda x: functional.unfold(batches(x), kernel, dilation, padding, stride)  # noqa: E731
    if name == "Im2col":
        found = function(self.double())
        return [self, kernel, dilation, padding, stride,
                Result(found if self.dim() == 4 else found[0], self.dtype, exact=True)]
    grad, expected, terms = gradients(function, self)
    return [grad if self.dim() == 4 else grad[0], list(self.shape[-2:]), kernel, dilation, padding, stride,
            Result(expected, self.dtype, terms)]


def mean(rng, name, self, kernel, stride, padding):
    options = [rng.random() < 0.5, rng.random() < 0.5, rng.choice([0, 0, 7, -2])]
    divisor = options[2] or None
    volumes = "3d" in name
    pool = functional.avg_pool3d if volumes else functional.avg_pool2d
    function = lambda x: pool(x, kernel, stride, padding, *options[:2], divisor)  # noqa: E731
    passed = [self, kernel, stride, padding, *options]
    if not volumes:
        passed.append(ctypes.c_int8(rng.randrange(4)))
    if not name.endswith("Backward"):
        terms = function(self.double().abs()).abs() * 256
        return [*passed, Result(function(self.double()), self.dtype, terms)]
    grad, expected, terms = gradients(function, self)
    return [grad, *passed, Result(expected, self.dtype, terms)]


def largest(rng, name, self, windows):
    kernel, stride, padding, dilation = windows
    ceil = rng.random() < 0.5
    pool = functional.max_pool3d if "3d" in name else functional.max_pool2d
    function = lambda x: pool(x, kernel, stride, padding, dilation, ceil, True)  # noqa: E731
    out, places = function(self.double())
    exactly = Result(out, self.dtype, exact=True)
    if name == "MaxPool":
        pads = padding if rng.random() < 0.5 else [padding[0], padding[0], padding[1], padding[1]]
        return [self, kernel, stride, 0, pads, dilation, int(ceil), exactly]
    passed = [self, kernel, stride, padding, dilation, ceil]
    kept = places.int()
    if "Mask" in name:
        # The documented layout of the mask: indices as bytes, then zeros.
        count = out.shape[-2] * out.shape[-1]
        rows, row = kernel[0] * kernel[1], (-(-count // 16) + 1) * 32
        kept = torch.zeros(*out.shape[:-2], rows * row, dtype=torch.int8)
        if rows > 1:
            kept[..., :4 * count] = places.int().reshape(*out.shape[:-2], count).contiguous().view(torch.int8)
        kept = kept.view(*out.shape[:-2], rows, row)
    if not name.endswith("Backward"):
        return [*passed, exactly, Result(kept, exact=True)]
    grad, expected, terms = gradients(lambda x: function(x)[0], self)
    return [grad, self, kept, *passed[1:], Result(expected, self.dtype, terms)]


def check(client, rng, worst, name):
    dtype = rng.choice(FLOATS)
    last = "DHW" if "3d" in name else "HW"
    shape = [rng.randint(1, 6) for _ in range(rng.randint(1, 2))]
    shape += [rng.randint(1, rng.choice([7, 40 if last == "HW" else 12])) for _ in last]
    self = elements(shape, dtype)
    if "Adaptive" in name:
        return call(client, rng, worst, name, *adaptive(rng, name, self))
    chosen = windows(rng, shape[-len(last):], name.startswith(("MaxPool2d", "MaxPool3d", "Im2col")))
    if name.startswith("Im2col"):
        arguments = columns(name, self, *chosen)
    elif name.startswith("Avg"):
        arguments = mean(rng, name, self, *chosen[:3])
    else:
        arguments = largest(rng, name, self, chosen)
    return call(client, rng, worst, name, *arguments, about=str(chosen))

"""RoIAlign and its gradient in torchvision, for bench/torch_twin.py."""

import math

import torch
from bench_torch_twin import NoPeer, filled


def variants(case):
    try:
        import torchvision  # noqa: F401  registers the operator
    except ImportError:
        raise NoPeer("torchvision is not installed") from None
    boxes = make_boxes(case)
    if case.operator == "roi_align_v2":
        maps = filled((case.images, case.channels, case.height, case.width), case.type)
        return {"torchvision": lambda: torch.ops.torchvision.roi_align(
            maps, boxes, case.spatial_scale, case.pooled_height, case.pooled_width, case.sampling_ratio,
            bool(case.aligned))}
    grad = filled((case.regions, case.channels, case.pooled_height, case.pooled_width), case.type)

    def own():
        return torch.ops.torchvision._roi_align_backward(
            grad, boxes, case.spatial_scale, case.pooled_height, case.pooled_width, case.images,
            case.channels, case.height, case.width, case.sampling_ratio, bool(case.aligned))

    return {"torchvision": own}


def make_boxes(case):
    def between(low, high):
        return low + (high - low) * torch.rand(case.regions, dtype=torch.float64)

    width, height = case.width / case.spatial_scale, case.height / case.spatial_scale
    size = torch.exp(between(math.log(case.smallest_box), math.log(case.largest_box)))
    aspect = torch.exp(between(-math.log(2), math.log(2)))
    w = (size * aspect.sqrt()).clamp(max=width)
    h = (size / aspect.sqrt()).clamp(max=height)
    x, y = between(0, 1) * (width - w), between(0, 1) * (height - h)
    image = torch.arange(case.regions, dtype=torch.float64) * case.images // case.regions
    return torch.stack([image, x, y, x + w, y + h], 1).float()

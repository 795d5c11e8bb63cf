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

    return {"torchvision": own, "products of windows": lambda: by_windows(case, grad, boxes)}


def weights_of(case, boxes, low, high, pooled, extent):
    """For each region and each of its bins along a dimension, the weights of the elements of the map; and the first and
    the last element of each region that have some."""
    offset = 0.5 if case.aligned else 0
    begin = boxes[:, low] * case.spatial_scale - offset
    length = boxes[:, high] * case.spatial_scale - offset - begin
    if not case.aligned:
        length = length.clamp(min=1)
    bin_size = (length / pooled)[:, None, None]
    if case.sampling_ratio > 0:
        counts = torch.full_like(begin, case.sampling_ratio)
    else:
        counts = torch.ceil(length / pooled).clamp(min=1)
    most = int(counts.max())
    counts, samples = counts[:, None, None], torch.arange(most, dtype=torch.float32)
    bins = torch.arange(pooled, dtype=torch.float32)[:, None]
    places = begin[:, None, None] + bins * bin_size + (samples + 0.5) * bin_size / counts
    share = ((places >= -1) & (places <= extent) & (samples < counts)) / counts
    places = places.clamp(0, extent - 1)
    first = places.floor()
    later, first = places - first, first.long()
    weights = torch.zeros((len(boxes), pooled, extent))
    weights.scatter_add_(2, first, share * (1 - later))
    weights.scatter_add_(2, (first + 1).clamp(max=extent - 1), share * later)
    return weights, first.amin((1, 2)).tolist(), (first.amax((1, 2)) + 2).clamp(max=extent).tolist()


def by_windows(case, grad, boxes):
    """The gradient of a region is a product with the weights of its columns and of its rows."""
    out = torch.zeros((case.images, case.channels, case.height, case.width))
    of_rows, tops, bottoms = weights_of(case, boxes, 2, 4, case.pooled_height, case.height)
    of_columns, lefts, rights = weights_of(case, boxes, 1, 3, case.pooled_width, case.width)
    images = boxes[:, 0].long().tolist()
    for i in range(case.regions):
        rows, columns = slice(tops[i], bottoms[i]), slice(lefts[i], rights[i])
        part = torch.mm(grad[i].view(-1, case.pooled_width), of_columns[i][:, columns])
        part = torch.matmul(of_rows[i][:, rows].t(), part.view(case.channels, case.pooled_height, -1))
        out[images[i], :, rows, columns] += part
    return out


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

"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch
import torchvision

from aclimb_client import NCHW
from comparison import compare, poisoned, view_of
from problem import Result, call, elements

FUNCTIONS = ["RoiAlign", "RoiAlignV2", "RoiAlignV2Backward"]


def check(client, rng, worst, name):
    batch, channels = rng.randint(1, 3), rng.randint(1, 20)
    height, width = rng.randint(1, 30), rng.randint(1, 30)
    regions = rng.randint(1, 12)
    pooled = [rng.randint(1, 8), rng.randint(1, 8)]
    scale = rng.choice([0.0625, 0.25, 1.0, 0.3])
    ratio = rng.randint(0, 3)
    aligned = rng.random() < 0.5
    corners = torch.rand(regions, 4) * torch.tensor([width, height, width, height]) * 1.2 / scale
    corners -= 0.1 * max(width, height) / scale
    low = torch.minimum(corners[:, :2], corners[:, 2:])
    high = torch.maximum(corners[:, :2], corners[:, 2:])
    boxes = torch.cat([torch.randint(0, batch, [regions, 1]).float(), low, high], dim=1)
    if name != "RoiAlignV2Backward":
        dtype = rng.choice([torch.float32, torch.float16])
        # Boxes of few bits are the same in both dtypes; torchvision computes in float32 of them.
        boxes[:, 1:] = boxes[:, 1:].round() if dtype == torch.float32 else boxes[:, 1:].round().clamp(-2048, 2048)
        self = elements([batch, channels, height, width], dtype)
        old = name == "RoiAlign"

        def pooled_of(features):
            return torchvision.ops.roi_align(features.float(), boxes, pooled, scale, ratio if ratio else -1,
                                             aligned and not old)

        out = Result(pooled_of(self), dtype, pooled_of(self.abs()) * 256)
        if old:
            arguments = [self, boxes[:, 1:].to(dtype), boxes[:, 0].int(), b"avg", *map(ctypes.c_int, (*pooled, ratio)),
                         ctypes.c_float(scale)]
        else:
            arguments = [self, boxes.to(dtype), *pooled, ctypes.c_float(scale), ratio, aligned]
        return call(client, rng, worst, name, *arguments, out,
                    about=f"{pooled} {scale} {ratio} {aligned} {boxes.tolist()}")
    grad = torch.randn(regions, channels, *pooled)
    out = poisoned([batch, channels, height, width], torch.float32, rng)
    tensors = [client.tensor(view_of(grad, rng), NCHW), client.tensor(view_of(boxes, rng)),
               client.tensor(out, NCHW)]
    client.run("aclnn" + name, tensors[0], tensors[1],
               client.ints([batch, channels, height, width]), ctypes.c_int64(pooled[0]),
               ctypes.c_int64(pooled[1]), ctypes.c_float(scale), ctypes.c_int64(ratio),
               ctypes.c_bool(aligned), tensors[2])

    def reference(values):
        features = torch.zeros(batch, channels, height, width, requires_grad=True)
        torchvision.ops.roi_align(features, boxes, pooled, scale, ratio if ratio else -1,
                                  aligned).backward(values)
        return features.grad

    compare(worst, tensors[2].read(), reference(grad), torch.float32, reference(grad.abs()) * 256,
            f"roi_align {batch}x{channels}x{height}x{width} pooled={pooled} ratio={ratio} "
            f"aligned={aligned} scale={scale} boxes={boxes.tolist()}")

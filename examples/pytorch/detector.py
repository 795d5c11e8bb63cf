"""The head of a detector: regions of feature maps, pooled by RoIAlign, become classes and boxes."""

import torch
import torch.nn.functional as F
from torch import nn, optim

from training import Record, arguments, digits

SIZE, DIGITS, STRIDE, POOLED, SAMPLES = 48, 3, 2, 5, 2


def pooled_regions(features, boxes):
    """RoIAlign in PyTorch's own terms, where no library has it: the mean of bilinear samples.

    Boxes are rows (image, x1, y1, x2, y2) of the picture, of a pixel of the map at least.
    """
    height, width = features.shape[2:]

    def samples(start, end, extent):
        bin_size = ((end - start) / STRIDE).clamp(min=1) / POOLED
        steps = (torch.arange(POOLED * SAMPLES, device=features.device) + 0.5) / SAMPLES
        at = (start / STRIDE)[:, None] + bin_size[:, None] * steps
        inside = (at >= -1) & (at <= extent)
        at = at.clamp(0, extent - 1)
        low = at.floor().long().clamp(max=extent - 2)
        return low, at - low, inside

    y, beyond_y, inside_y = samples(boxes[:, 2], boxes[:, 4], height)
    x, beyond_x, inside_x = samples(boxes[:, 1], boxes[:, 3], width)
    image = boxes[:, 0].long()[:, None, None]
    weight_y = torch.stack([1 - beyond_y, beyond_y]) * inside_y
    weight_x = torch.stack([1 - beyond_x, beyond_x]) * inside_x
    total = 0
    for i in range(2):
        for j in range(2):
            values = features[image, :, (y + i)[:, :, None], (x + j)[:, None, :]]
            total = total + values * (weight_y[i][:, :, None] * weight_x[j][:, None, :])[..., None]
    return F.avg_pool2d(total.permute(0, 3, 1, 2), SAMPLES)


class Detector(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ELU(),
            nn.Conv2d(16, 32, 3, stride=STRIDE, padding=1), nn.BatchNorm2d(32), nn.ELU())
        # What the head knows of a region's size, which pooling takes away.
        self.sizes = nn.Embedding(8, 32)
        self.hidden = nn.Linear(32 * POOLED * POOLED, 64)
        self.classes, self.boxes = nn.Linear(64 + 32, 10), nn.Linear(64 + 32, 4)
        if device.startswith("npu"):
            from torch_npu.contrib.module import ROIAlign
            self.pool = ROIAlign((POOLED, POOLED), 1 / STRIDE, SAMPLES, aligned=False)
        else:
            self.pool = pooled_regions

    def forward(self, pictures, boxes):
        regions = self.pool(self.backbone(pictures), boxes)
        width = ((boxes[:, 3] - boxes[:, 1]) / 3).long().clamp(0, 7)
        hidden = torch.cat([F.elu(self.hidden(regions.flatten(1))), self.sizes(width)], dim=1)
        return self.classes(hidden), self.boxes(hidden)


def pictures_with_digits(images, labels, count, generator):
    """Pictures, proposals (boxes that are a little off), their classes, and what they are off by."""
    pictures = torch.zeros(count, 1, SIZE, SIZE)
    proposals, classes, offsets = [], [], []
    for n in range(count):
        for k in range(DIGITS):
            chosen = torch.randint(len(labels), (1,), generator=generator).item()
            size = torch.randint(12, 21, (1,), generator=generator).item()
            nearest = torch.arange(size) * images.shape[-1] // size
            digit = images[chosen][:, nearest[:, None], nearest]
            x, y = torch.randint(SIZE - size + 1, (2,), generator=generator).tolist()
            pictures[n, :, y:y + size, x:x + size] += digit
            box = torch.tensor([x, y, x + size, y + size], dtype=torch.float32)
            off = torch.rand(4, generator=generator) * 4 - 2
            proposals.append(torch.cat([torch.tensor([float(n)]), box + off]))
            classes.append(labels[chosen])
            offsets.append(-off)
    return pictures, torch.stack(proposals), torch.stack(classes), torch.stack(offsets)


args = arguments(__doc__)
if args.device.startswith("npu"):
    # Regions come in the chip's own format else.
    torch.npu.config.allow_internal_format = False
train_images, train_labels, test_images, test_labels = digits()
model = Detector(args.device).to(args.device)
optimizer = optim.SGD(model.parameters(), lr=0.02, momentum=0.9)

record = Record(args)
generator = torch.Generator().manual_seed(2)
for _ in range(args.steps):
    pictures, boxes, classes, offsets = (
        part.to(args.device)
        for part in pictures_with_digits(train_images, train_labels, 24, generator))
    record.start()
    optimizer.zero_grad()
    scores, moves = model(pictures, boxes)
    loss = F.cross_entropy(scores, classes) + F.smooth_l1_loss(moves, offsets)
    loss.backward()
    optimizer.step()
    record.step(loss)

pictures, boxes, classes, offsets = (
    part.to(args.device) for part in pictures_with_digits(test_images, test_labels, 64, generator))
model.eval()
with torch.no_grad():
    scores, moves = model(pictures, boxes)
    right = (scores.argmax(1) == classes).float().mean().item()
    # How much of what the proposals are off by is gone.
    gone = 1 - (F.l1_loss(moves, offsets) / offsets.abs().mean()).item()
record.finish(accuracy=right, box_error_gone=gone)

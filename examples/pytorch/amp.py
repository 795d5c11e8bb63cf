"""Mixed precision: float16 with a gradient scaler, then bfloat16 without one."""

import torch
import torch.nn.functional as F
from torch import nn, optim

from training import Record, accuracy, arguments, batches, digits

args = arguments(__doc__)
train_images, train_labels, test_images, test_labels = digits()

record = Record(args)
reached = {}
for dtype in (torch.float16, torch.bfloat16):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    model = model.to(args.device)
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler(args.device, enabled=dtype == torch.float16)
    for images, labels in batches(train_images, train_labels, 128, args.steps // 2):
        optimizer.zero_grad()
        with torch.autocast(args.device, dtype=dtype):
            loss = F.cross_entropy(model(images.to(args.device)), labels.to(args.device))
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        record.step(loss)
    name = str(dtype).split(".")[-1]
    reached[f"{name}_accuracy"] = accuracy(model, test_images, test_labels, args.device)
record.finish(**reached)

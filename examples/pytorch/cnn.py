"""A small convolutional network with batch norm, pooling and Elu learns the digits."""

import torch.nn.functional as F
from torch import nn, optim

from training import Record, accuracy, arguments, batches, digits

args = arguments(__doc__)
train_images, train_labels, test_images, test_labels = digits()

model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ELU(),
    nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(inplace=True), nn.MaxPool2d(2),
    nn.Conv2d(32, 32, 3, padding=1), nn.ELU(), nn.AvgPool2d(2),
    nn.Flatten(), nn.Linear(128, 10),
).to(args.device)
optimizer = optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

record = Record(args)
for images, labels in batches(train_images, train_labels, 64, args.steps):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images.to(args.device)), labels.to(args.device))
    loss.backward()
    optimizer.step()
    record.step(loss)
record.finish(accuracy=accuracy(model, test_images, test_labels, args.device))

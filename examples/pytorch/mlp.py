"""A multilayer perceptron learns the digits by stochastic gradient descent."""

import torch.nn.functional as F
from torch import nn, optim

from training import Record, accuracy, arguments, batches, digits

args = arguments(__doc__)
train_images, train_labels, test_images, test_labels = digits()

model = nn.Sequential(
    nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.Tanh(), nn.Linear(64, 10)
).to(args.device)
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)

record = Record(args)
for images, labels in batches(train_images, train_labels, 128, args.steps):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images.to(args.device)), labels.to(args.device))
    loss.backward()
    optimizer.step()
    record.step(loss)
record.finish(accuracy=accuracy(model, test_images, test_labels, args.device))

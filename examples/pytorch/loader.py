"""Batches come from a DataLoader with worker processes; the model is saved, loaded and goes on."""

import io

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

from training import Record, accuracy, arguments, digits

args = arguments(__doc__)


def model_and_optimizer():
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    model = model.to(args.device)
    return model, optim.Adam(model.parameters(), lr=2e-3)


def main():
    train_images, train_labels, test_images, test_labels = digits()
    loader = DataLoader(TensorDataset(train_images, train_labels), batch_size=128, shuffle=True,
                        num_workers=2, generator=torch.Generator().manual_seed(2))
    model, optimizer = model_and_optimizer()
    record, count = Record(args), 0
    while count < args.steps:
        for images, labels in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images.to(args.device)), labels.to(args.device))
            loss.backward()
            optimizer.step()
            record.step(loss)
            count += 1
            if count == args.steps:
                break
        # A checkpoint by way of the CPU, into a model with other weights.
        checkpoint = io.BytesIO()
        torch.save({"model": {name: value.cpu() for name, value in model.state_dict().items()},
                    "optimizer": optimizer.state_dict()}, checkpoint)
        checkpoint.seek(0)
        saved = torch.load(checkpoint, map_location="cpu")
        model, optimizer = model_and_optimizer()
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
    record.finish(accuracy=accuracy(model, test_images, test_labels, args.device))


if __name__ == "__main__":
    main()

"""What the examples share: the command line, the digits, and a record of losses and times."""

import argparse
import json
import time

import numpy
import torch
from sklearn.datasets import load_digits


def arguments(description, steps=200):
    """The command line; `device` is ready to use. Seeds everything."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--device", default="npu", help="npu or cpu (npu)")
    parser.add_argument("--steps", type=int, default=steps, help=f"training steps ({steps})")
    parser.add_argument("--threads", type=int, help="threads of PyTorch on the CPU")
    parser.add_argument("--record", metavar="FILE",
                        help="write losses, accuracy and the median time of a step as JSON")
    args = parser.parse_args()
    if args.device.startswith("npu"):
        import torch_npu  # noqa: F401 (makes the device known to PyTorch)
    if args.threads:
        torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    numpy.random.seed(0)
    return args


def digits():
    """1,797 handwritten digits of 8 x 8 pixels: training images and labels, test images and labels."""
    data = load_digits()
    images = torch.tensor(data.images, dtype=torch.float32).div(16).unsqueeze(1)
    labels = torch.tensor(data.target)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(1))
    train, test = order[:1500], order[1500:]
    return images[train], labels[train], images[test], labels[test]


def batches(images, labels, size, steps):
    """Yields `steps` random batches, the same ones on every device."""
    generator = torch.Generator().manual_seed(2)
    for _ in range(steps):
        chosen = torch.randint(0, len(labels), (size,), generator=generator)
        yield images[chosen], labels[chosen]


class Record:
    """Losses and times of the steps; prints some of them, and writes all at the end."""

    def __init__(self, args):
        self.args, self.losses, self.times, self.results = args, [], [], {}
        self.started = time.perf_counter()

    def start(self):
        """Leaves out of the step's time what came before, such as making a batch."""
        self.started = time.perf_counter()

    def step(self, loss):
        # item() waits for the device.
        self.losses.append(loss.item())
        now = time.perf_counter()
        self.times.append(now - self.started)
        self.started = now
        count = len(self.losses)
        if count % 50 == 0 or count == 1:
            print(f"step {count}: loss {self.losses[-1]:.4f}", flush=True)

    def finish(self, **results):
        self.results.update(results)
        median = sorted(self.times)[len(self.times) // 2]
        text = ", ".join(f"{name} {value:.3f}" for name, value in self.results.items())
        print(f"{self.args.device}: {1e3 * median:.2f} ms a step{', ' if text else ''}{text}")
        if self.args.record:
            with open(self.args.record, "w", encoding="utf-8") as file:
                json.dump({"losses": self.losses, "step_seconds": median, **self.results}, file)


def accuracy(model, images, labels, device):
    model.eval()
    with torch.no_grad():
        right = (model(images.to(device)).argmax(1) == labels.to(device)).float().mean()
    return right.item()

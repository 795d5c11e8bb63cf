"""Models as tutorials have them, with torch_npu's settings as they are: losses of a few steps on npu
against those on cpu, from the same weights."""

import copy
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_npu  # noqa: F401

from steps import expect, main

STEPS = 6


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def integers(most, *shape, seed=0):
    return torch.randint(0, most, shape, generator=torch.Generator().manual_seed(seed))


def compare(build, allowed=1e-3):
    """`build` makes (modules, optimizer, step) for a device; a step returns losses."""
    losses = {}
    for device in ("cpu", "npu"):
        torch.manual_seed(0)
        step = build(device)
        losses[device] = torch.tensor([step(k) for k in range(STEPS)]).flatten()
    wanted, got = losses["cpu"], losses["npu"]
    worst = ((got - wanted).abs() / wanted.abs().clamp(min=0.1)).max().item()
    expect(worst <= allowed, f"off by {worst:.1e}\n{wanted.tolist()}\n{got.tolist()}")


def descend(model, loss_of, optimizer):
    def step(k):
        optimizer.zero_grad()
        loss = loss_of(model, k)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()
    return step


class Encoder(nn.Module):
    """Texts of several lengths, padded by zeros, in three classes."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30, 32, padding_idx=0)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 3)

    def forward(self, tokens):
        padding = tokens == 0
        h = self.encoder(self.embedding(tokens), src_key_padding_mask=padding)
        kept = (~padding).unsqueeze(-1)
        return self.head((h * kept).sum(1) / kept.sum(1))


def transformer_encoder():
    def build(device):
        tokens = 1 + integers(29, 6, 10)
        tokens[1, 7:] = tokens[2, 3:] = 0
        tokens, labels = tokens.to(device), integers(3, 6, seed=1).to(device)
        model = Encoder().to(device)
        return descend(model, lambda m, k: F.cross_entropy(m(tokens), labels, label_smoothing=0.1),
                       torch.optim.AdamW(model.parameters(), lr=1e-2))
    compare(build)


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.short = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                   nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.norm(self.first(x)), inplace=True)
        return F.relu(self.norm2(self.second(y)) + self.short(x))


def residual_network(precision):
    def build(device):
        model = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(True),
                              nn.MaxPool2d(3, 2, 1), Block(8, 8, 1), Block(8, 20, 2),
                              nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(20, 5)).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
        images, labels = numbers(4, 3, 32, 32).to(device), integers(5, 4).to(device)
        mixed = precision if device == "npu" else None
        scaler = torch.amp.GradScaler("npu", init_scale=128.0, enabled=mixed == torch.float16)

        def step(k):
            optimizer.zero_grad()
            with torch.autocast(device, dtype=mixed or torch.bfloat16, enabled=mixed is not None):
                loss = F.cross_entropy(model(images), labels)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            return loss.item()
        return step
    compare(build, 1e-3 if precision is None else 3e-2)


def residual_network_in_float32():
    residual_network(None)


def residual_network_in_mixed_precision():
    residual_network(torch.float16)
    residual_network(torch.bfloat16)


class Translator(nn.Module):
    """GRU to GRU with additive attention, each word fed as it should have been."""

    def __init__(self):
        super().__init__()
        self.words, self.others = nn.Embedding(20, 8), nn.Embedding(20, 8)
        self.encoder = nn.GRU(8, 12, batch_first=True)
        self.decoder = nn.GRU(20, 12, batch_first=True)
        self.query, self.key, self.score = nn.Linear(12, 12), nn.Linear(12, 12), nn.Linear(12, 1)
        self.head = nn.Linear(12, 20)

    def forward(self, words, target):
        keys, h = self.encoder(self.words(words))
        word, results = torch.zeros_like(target[:, :1]), []
        for k in range(target.shape[1]):
            scores = self.score(torch.tanh(self.query(h.transpose(0, 1)) + self.key(keys)))
            context = torch.bmm(F.softmax(scores, 1).transpose(1, 2), keys)
            result, h = self.decoder(torch.cat((self.others(word), context), 2), h)
            results.append(self.head(result))
            word = target[:, k:k + 1]
        return F.log_softmax(torch.cat(results, 1), -1)


def translator():
    def build(device):
        words, target = (integers(20, 3, n, seed=n).to(device) for n in (6, 5))
        model = Translator().to(device)
        return descend(model, lambda m, k: F.nll_loss(m(words, target).reshape(-1, 20),
                                                      target.reshape(-1), ignore_index=0),
                       torch.optim.Adam(model.parameters(), lr=1e-2))
    compare(build)


def adversaries():
    def build(device):
        maker = nn.Sequential(nn.ConvTranspose2d(4, 8, 4, 1, 0, bias=False), nn.BatchNorm2d(8),
                              nn.ReLU(True), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Tanh()).to(device)
        judge = nn.Sequential(nn.Conv2d(1, 8, 4, 2, 1), nn.LeakyReLU(0.2, True), nn.Dropout(0.0),
                              nn.Flatten(), nn.Linear(128, 1)).to(device)
        optimizers = [torch.optim.Adam(m.parameters(), 1e-3, (0.5, 0.999)) for m in (maker, judge)]

        def step(k):
            real, noise = numbers(4, 1, 8, 8, seed=k).to(device), numbers(4, 4, 1, 1, seed=k).to(device)
            true, false = torch.ones(4, 1, device=device), torch.zeros(4, 1, device=device)
            loss_of = F.binary_cross_entropy_with_logits
            optimizers[1].zero_grad()
            judged = loss_of(judge(real), true) + loss_of(judge(maker(noise).detach()), false)
            judged.backward()
            optimizers[1].step()
            optimizers[0].zero_grad()
            made = loss_of(judge(maker(noise)), true)
            made.backward()
            optimizers[0].step()
            return [judged.item(), made.item()]
        return step
    compare(build)


def deep_q():
    def build(device):
        network = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
        target = copy.deepcopy(network)
        optimizer = torch.optim.AdamW(network.parameters(), lr=1e-2, amsgrad=True)

        def step(k):
            states, next_states = (numbers(8, 4, seed=k + n).to(device) for n in (0, 100))
            actions, rewards = integers(2, 8, 1, seed=k).to(device), numbers(8, seed=k).to(device)
            done = integers(2, 8, seed=k + 1).bool().to(device)
            values = torch.zeros(8, device=device)
            with torch.no_grad():
                values[~done] = target(next_states[~done]).max(1).values
            loss = F.smooth_l1_loss(network(states).gather(1, actions),
                                    (rewards + 0.9 * values).unsqueeze(1))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_value_(network.parameters(), 0.5)
            optimizer.step()
            with torch.no_grad():
                for one, other in zip(target.parameters(), network.parameters()):
                    one.lerp_(other, 0.1)
            return loss.item()
        return step
    compare(build)


if __name__ == "__main__":
    # torch_npu's own, of torch.nn.GRU.
    warnings.filterwarnings("ignore", "torch_npu.npu_gru is deprecated")
    main(transformer_encoder, residual_network_in_float32, residual_network_in_mixed_precision,
         translator, adversaries, deep_q)

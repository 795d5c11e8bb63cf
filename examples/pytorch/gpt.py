"""A small GPT learns to continue a text: attention, LayerNorm, GELU, AdamW, clipped gradients."""

import torch
import torch.nn.functional as F
from torch import nn, optim

from training import Record, arguments

LENGTH, WIDTH, HEADS, LAYERS = 32, 64, 4, 2
TEXT = "the quick brown fox jumps over the lazy dog, and the lazy dog sleeps on. " * 40


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                                 nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (part.view(batch, length, HEADS, -1).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).chunk(3, dim=-1))
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.mlp(self.norm2(x))


class Gpt(nn.Module):
    def __init__(self, characters):
        super().__init__()
        self.token, self.place = nn.Embedding(characters, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, characters)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.head(self.norm(self.blocks(self.token(tokens) + self.place(places))))


args = arguments(__doc__)
alphabet = sorted(set(TEXT))
text = torch.tensor([alphabet.index(character) for character in TEXT])

model = Gpt(len(alphabet)).to(args.device)
optimizer = optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)

record = Record(args)
generator = torch.Generator().manual_seed(2)
for _ in range(args.steps):
    starts = torch.randint(0, len(text) - LENGTH - 1, (16,), generator=generator)
    tokens = torch.stack([text[start:start + LENGTH + 1] for start in starts]).to(args.device)
    optimizer.zero_grad()
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    record.step(loss)
record.finish()

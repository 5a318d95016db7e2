"""A plainly written GPT-2 of 124 million parameters: the program of the README's rehearsal."""

import argparse

import torch
from torch import nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

WORDS, CONTEXT, WIDTH, HEADS, LAYERS = 50257, 1024, 768, 12, 12


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project_in, self.project_out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.widen, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def attend(self, x):
        parts = self.project_in(x).chunk(3, -1)
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in parts)
        mixed = scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.project_out(mixed.transpose(1, 2).flatten(-2))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        hidden = self.widen(self.norm2(x))
        hidden = torch.nn.functional.gelu(hidden)
        return x + self.narrow(hidden)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(CONTEXT, device=tokens.device))
        logits = self.head(self.norm(self.blocks(x)))
        return logits.float()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=8)
    batch = parser.parse_args().batch
    with torch.device("cuda"):
        model = Model()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(10):
        tokens = torch.zeros(batch, CONTEXT, dtype=torch.long, device="cuda")
        with torch.autocast("cuda", torch.bfloat16):
            logits = model(tokens)
        loss = cross_entropy(logits.flatten(0, 1), tokens.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


main()

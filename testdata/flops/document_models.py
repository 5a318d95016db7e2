"""The models of "Counting nanoGPT FLOPs in PyTorch" (October 2023), whose counts are known from there."""

import math

import torch
from torch import nn
from torch.nn import functional

from cases import Case


class OneLinear(nn.Module):
    """800 FLOPs for two rows: 2 * 2 * 10 * 20."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(10, 20)

    def forward(self, x):
        return self.layer(x)


class ThreeProducts(nn.Module):
    """2560 FLOPs for two rows: addmm 800, mm 1600, bmm 160."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(10, 20)
        self.square = nn.Parameter(torch.zeros(20, 20))
        self.batched = nn.Parameter(torch.zeros(2, 10, 2))

    def forward(self, x):
        rows = self.layer(x) @ self.square
        return (rows.view(2, 2, 10) @ self.batched).view(2, -1)


class SelfAttention(nn.Module):
    """Causal attention; `explicit` multiplies scores and values itself, so that both show as matrix products."""

    def __init__(self, width, heads, context, explicit):
        super().__init__()
        self.heads = heads
        self.explicit = explicit
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        if explicit:
            allowed = torch.ones(context, context).tril()
            self.register_buffer("allowed", allowed.view(1, 1, context, context), persistent=False)

    def weigh(self, query, key, value):
        if not self.explicit:
            return functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        tokens, head_width = query.shape[-2:]
        scores = query @ key.transpose(-2, -1) / math.sqrt(head_width)
        scores = scores.masked_fill(self.allowed[:, :, :tokens, :tokens] == 0, float("-inf"))
        return functional.softmax(scores, dim=-1) @ value

    def forward(self, x):
        batch, tokens, width = x.shape
        by_head = (batch, tokens, self.heads, width // self.heads)
        query, key, value = (part.view(by_head).transpose(1, 2) for part in self.c_attn(x).split(width, dim=2))
        mixed = self.weigh(query, key, value).transpose(1, 2).contiguous().view(batch, tokens, width)
        return self.c_proj(mixed)


class FeedForward(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.c_fc = nn.Linear(width, 4 * width)
        self.c_proj = nn.Linear(4 * width, width)

    def forward(self, x):
        return self.c_proj(functional.gelu(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, width, heads, context, explicit):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = SelfAttention(width, heads, context, explicit)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = FeedForward(width)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class NanoGpt(nn.Module):
    """GPT-2 small as nanoGPT has it: learned positions, the output layer shares the embedding's weight."""

    def __init__(self, layers=12, heads=12, width=768, vocabulary=50304, context=1024, explicit=True, last_only=True):
        super().__init__()
        self.last_only = last_only
        blocks = nn.ModuleList(Block(width, heads, context, explicit) for _ in range(layers))
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(vocabulary, width),
                "wpe": nn.Embedding(context, width),
                "h": blocks,
                "ln_f": nn.LayerNorm(width),
            }
        )
        self.lm_head = nn.Linear(width, vocabulary, bias=False)
        self.lm_head.weight = self.transformer.wte.weight

    def forward(self, tokens):
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.transformer.wte(tokens) + self.transformer.wpe(positions)
        for block in self.transformer.h:
            x = block(x)
        x = self.transformer.ln_f(x)
        return self.lm_head(x[:, [-1], :] if self.last_only else x)


def tokens_of(batch, length):
    return lambda: (torch.zeros(batch, length, dtype=torch.long),)


BOTH = ("plain", "decomposed")

CASES = {
    "linear_800": Case(OneLinear, lambda: (torch.zeros(2, 10),), BOTH, weights="kept"),
    "products_2560": Case(ThreeProducts, lambda: (torch.zeros(2, 10),), BOTH, weights="kept"),
    "nanogpt": Case(NanoGpt, tokens_of(1, 1024), BOTH),
    "nanogpt_all_positions": Case(lambda: NanoGpt(last_only=False), tokens_of(1, 1024)),
    # The article's table counts the 50257 words that there are, without those that fill the last rows.
    "nanogpt_table": Case(lambda: NanoGpt(vocabulary=50257, last_only=False), tokens_of(1, 1024)),
    "nanogpt_fake": Case(NanoGpt, tokens_of(1, 1024), weights="fake"),
    "nanogpt_sdpa": Case(lambda: NanoGpt(explicit=False), tokens_of(1, 1024)),
}

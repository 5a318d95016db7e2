"""The models of "Activation Memory: A Deep Dive using PyTorch" (2024), of which it says what they keep for backward."""

import torch
from torch import nn
from torch.nn import functional

from cases import Case

BATCH, SEQUENCE, WIDTH, HEADS = 2, 4096, 1024, 2


class Mlp(nn.Module):
    def __init__(self, act_fn):
        super().__init__()
        self.lin_0 = nn.Linear(WIDTH, 4 * WIDTH)
        self.act_fn = act_fn
        self.lin_1 = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, inputs):
        return self.lin_1(self.act_fn(self.lin_0(inputs)))


class Block(nn.Module):
    """Attention by scaled_dot_product_attention, then the MLP, each behind a norm and beside a residual connection."""

    def __init__(self, act_fn):
        super().__init__()
        self.norm_0 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.norm_1 = nn.LayerNorm(WIDTH)
        self.mlp = Mlp(act_fn)

    def forward(self, x):
        batch, tokens, width = x.shape
        parts = self.qkv(self.norm_0(x)).split(width, dim=2)
        query, key, value = (part.view(batch, tokens, HEADS, width // HEADS).transpose(1, 2) for part in parts)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.proj(mixed.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.mlp(self.norm_1(x))


def in_half(module):
    """Made on a GPU that is not there: the archive says cuda, and no tensor has elements."""

    def build():
        usual = torch.get_default_dtype()
        torch.set_default_dtype(torch.bfloat16)
        try:
            with torch.device("cuda"):
                return module()
        finally:
            torch.set_default_dtype(usual)

    return build


def inputs():
    return (torch.empty(BATCH, SEQUENCE, WIDTH, dtype=torch.bfloat16, device="cuda"),)


CASES = {
    "mlp_relu": Case(in_half(lambda: Mlp(nn.ReLU())), inputs, weights="fake"),
    "mlp_gelu": Case(in_half(lambda: Mlp(nn.GELU())), inputs, weights="fake"),
    "block_relu": Case(in_half(lambda: Block(nn.ReLU())), inputs, weights="fake"),
    "block_gelu": Case(in_half(lambda: Block(nn.GELU())), inputs, weights="fake"),
}

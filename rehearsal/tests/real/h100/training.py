"""The models, batches and training loop that several programs use.

The figures depend on each allocation and on how long each tensor lives. Do not move an expression into a variable or back.
"""

import torch
import torch.nn.functional as F
import torch.utils.checkpoint
from torch import nn

STEPS = 3


def train(model, step, optimizer_type=torch.optim.AdamW, amp=None, **options):
    """Trains for three steps; `step` returns the loss, and `amp` is the type of autocast."""
    optimizer = optimizer_type([weight for weight in model.parameters() if weight.requires_grad], **options)
    for _ in range(STEPS):
        with torch.autocast("cuda", amp or torch.bfloat16, enabled=amp is not None):
            loss = step(model)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def random_tokens(length=512, batch=4):
    return torch.randint(5, 1000, (batch, length), device="cuda")


def random_classes(classes, count):
    return torch.randint(0, classes, (count,), device="cuda")


def mlp():
    return nn.Sequential(*[layer for _ in range(8) for layer in (nn.Linear(2048, 2048), nn.GELU())]).cuda()


def mlp_step(model):
    return model(torch.ones(1024, 2048, device="cuda")).square().mean()


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.inputs = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.heads = heads

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.inputs(self.attention_norm(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        x = x + self.output(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.mlp_norm(x))


class GPT(nn.Module):
    """A decoder of GPT-2's width and vocabulary; returns the loss."""

    def __init__(self, layers=6, is_checkpointed=False):
        super().__init__()
        width, heads, vocabulary = 768, 12, 50304
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, vocabulary, bias=False)
        self.is_checkpointed = is_checkpointed

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            if self.is_checkpointed:
                x = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
        return F.cross_entropy(self.output(self.norm(x)).flatten(0, 1), tokens.flatten())

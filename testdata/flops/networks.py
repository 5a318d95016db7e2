"""Small networks of the usual kinds: what the counted operators look like in whole models."""

import torch
from torch import nn
from torch.nn import functional

from cases import Case


class LlamaAttention(nn.Module):
    """Causal attention with fewer heads for keys and values than for queries."""

    def __init__(self, width, heads, shared_heads):
        super().__init__()
        self.head_width = width // heads
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, shared_heads * self.head_width, bias=False)
        self.v_proj = nn.Linear(width, shared_heads * self.head_width, bias=False)
        self.o_proj = nn.Linear(width, width, bias=False)

    def forward(self, x):
        query, key, value = (
            projection(x).unflatten(-1, (-1, self.head_width)).transpose(1, 2)
            for projection in (self.q_proj, self.k_proj, self.v_proj)
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        return self.o_proj(mixed.transpose(1, 2).flatten(2))


class GatedFeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gate_proj = nn.Linear(width, hidden, bias=False)
        self.up_proj = nn.Linear(width, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


class LlamaLayer(nn.Module):
    def __init__(self, width, heads, shared_heads, hidden):
        super().__init__()
        self.input_layernorm = nn.RMSNorm(width)
        self.self_attn = LlamaAttention(width, heads, shared_heads)
        self.post_attention_layernorm = nn.RMSNorm(width)
        self.mlp = GatedFeedForward(width, hidden)

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    def __init__(self, layers=2, width=256, heads=8, shared_heads=2, hidden=688, vocabulary=1000):
        super().__init__()
        self.embed_tokens = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(LlamaLayer(width, heads, shared_heads, hidden) for _ in range(layers))
        self.norm = nn.RMSNorm(width)
        self.lm_head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.norm(x))


class VisionTransformer(nn.Module):
    """Patches by a convolution, a class token, PyTorch's own encoder layers, a linear head."""

    def __init__(self, width=192, patches=4, side=32):
        super().__init__()
        self.patch = nn.Conv2d(3, width, patches, stride=patches)
        self.first = nn.Parameter(torch.zeros(1, 1, width))
        self.position = nn.Parameter(torch.zeros(1, (side // patches) ** 2 + 1, width))
        layer = nn.TransformerEncoderLayer(width, 3, 4 * width, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, 10)

    def forward(self, images):
        x = self.patch(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], dim=1) + self.position
        return self.head(self.encoder(x)[:, 0])


class Residual(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        same = stride == 1 and before == after
        self.shortcut = nn.Identity() if same else nn.Conv2d(before, after, 1, stride, bias=False)

    def forward(self, x):
        y = functional.relu(self.bn1(self.conv1(x)))
        return functional.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


def resnet():
    widths = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
    stages = [nn.Sequential(Residual(before, after, by), Residual(after, after, 1)) for before, after, by in widths]
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    return nn.Sequential(*stem, *stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


class UNet(nn.Module):
    """Down once by a stride, up again by a transposed convolution."""

    def __init__(self):
        super().__init__()
        self.enter = nn.Conv2d(1, 16, 3, padding=1)
        self.down = nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.leave = nn.Conv2d(32, 2, 1)

    def forward(self, x):
        entered = functional.relu(self.enter(x))
        return self.leave(torch.cat([entered, self.up(functional.relu(self.down(entered)))], dim=1))


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.cells = kind(24, 32, num_layers=2, batch_first=True)
        self.head = nn.Linear(32, 5)

    def forward(self, x):
        return self.head(self.cells(x)[0][:, -1])


class DenseExperts(nn.Module):
    """Every expert sees every token; the gate only weighs."""

    def __init__(self, width=64, experts=4):
        super().__init__()
        self.gate = nn.Linear(width, experts)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(experts))

    def forward(self, x):
        weights = functional.softmax(self.gate(x), dim=-1)
        return sum(weights[..., i, None] * expert(x) for i, expert in enumerate(self.experts))


class CalledTwice(nn.Module):
    """One layer called twice, and the same layer under a second name."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 16)
        self.again = self.first
        self.last = nn.Linear(16, 4)

    def forward(self, x):
        return self.last(self.again(torch.relu(self.first(torch.relu(self.first(x))))))


def mlp():
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))


def images(batch, channels, side):
    return lambda: (torch.zeros(batch, channels, side, side),)


BOTH = ("plain", "decomposed")

CASES = {
    "mlp": Case(mlp, lambda: (torch.zeros(32, 784),), BOTH),
    "llama": Case(Llama, lambda: (torch.zeros(2, 128, dtype=torch.long),), BOTH),
    "vit": Case(VisionTransformer, images(2, 3, 32), BOTH),
    "resnet": Case(resnet, images(1, 3, 224), BOTH),
    "unet": Case(UNet, images(1, 1, 64), BOTH),
    "lstm": Case(lambda: Recurrent(nn.LSTM), lambda: (torch.zeros(3, 7, 24),), BOTH),
    "gru": Case(lambda: Recurrent(nn.GRU), lambda: (torch.zeros(3, 7, 24),)),
    "experts_dense": Case(DenseExperts, lambda: (torch.zeros(2, 8, 64),)),
    "called_twice": Case(CalledTwice, lambda: (torch.zeros(5, 16),), weights="kept"),
    "called_twice_strict": Case(CalledTwice, lambda: (torch.zeros(5, 16),), weights="kept", strict=True),
}

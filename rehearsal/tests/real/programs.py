"""Small models whose memory was measured on real GPUs; each function returns the figures that were.

    programs.py NAME

Prints the figures as JSON: a name and bytes (or a count) each. Meant to run on a GPU, a made-up one included.
"""

import json
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn


class AllocatedMemory:
    """The change of the allocator's counters over a `with`."""

    def __enter__(self):
        torch.cuda.current_blas_handle()  # its workspace is not what is measured
        self.before = self._counters()
        return self

    def __exit__(self, *_):
        after = self._counters()
        self.delta = {name: after[name] - self.before[name] for name in after}

    @staticmethod
    def _counters():
        stats = torch.cuda.memory_stats()
        return {name: stats[f"allocated_bytes.all.{name}"] for name in ("allocated", "current", "freed", "peak")}


class SavedTensors:
    """Returns the bytes of the distinct storages that a forward pass keeps for the backward pass, without
    parameters."""

    def __init__(self, parameters):
        self.storage_bytes = {}
        self.kept = []  # as long as they live, no other storage gets their address
        self.ignored = {parameter.untyped_storage().data_ptr() for parameter in parameters}
        self.hooks = torch.autograd.graph.saved_tensors_hooks(self._pack, lambda tensor: tensor)

    def _pack(self, tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in self.ignored:
            self.storage_bytes[storage.data_ptr()] = storage.nbytes()
            self.kept.append(tensor)
        return tensor

    def __enter__(self):
        self.hooks.__enter__()
        return self

    def __exit__(self, *error):
        self.hooks.__exit__(*error)

    @property
    def total_bytes(self):
        return sum(self.storage_bytes.values())


def mlp(width, activation):
    options = {"device": "cuda", "dtype": torch.bfloat16}
    return nn.Sequential(nn.Linear(width, 4 * width, **options), activation, nn.Linear(4 * width, width, **options))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.inputs = nn.Linear(width, 3 * width, device="cuda", dtype=torch.bfloat16)
        self.output = nn.Linear(width, width, device="cuda", dtype=torch.bfloat16)

    def forward(self, x):
        batch, length, width = x.shape
        split = [part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.inputs(x).chunk(3, dim=-1)]
        return self.output(F.scaled_dot_product_attention(*split, is_causal=True).transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    def __init__(self, width, activation):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        self.attention = Attention(width, 2)  # the heads that the measured bytes of log-sum-exp are for
        self.mlp = mlp(width, activation)

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        return x + self.mlp(self.norms[1](x))


def three_small_tensors():
    """Three tensors of 1 KiB, of which two are deleted again."""
    with AllocatedMemory() as memory:
        first, second = torch.randn(256, device="cuda"), torch.randn(256, device="cuda")
        del second
        third = torch.randn(256, device="cuda")
        del third
    del first
    return memory.delta


def activations(make_model):
    """Returns what a forward pass keeps, according to autograd and to the allocator."""
    inputs = torch.randn(2, 4096, 1024, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    figures = {}
    for name, activation in (("relu", nn.ReLU()), ("gelu", nn.GELU())):
        model = make_model(1024, activation)
        with AllocatedMemory() as memory, SavedTensors(model.parameters()) as saved:
            outputs = model(inputs)
        figures[f"{name}_saved"], figures[f"{name}_allocated"] = saved.total_bytes, memory.delta["current"]
        del model, outputs, saved
    return figures


def mlp_activations():
    return activations(mlp)


def block_activations():
    return activations(Block)


def counted():
    stats = torch.cuda.memory_stats()
    return {
        "reserved": stats["reserved_bytes.all.current"],
        "allocated": stats["allocated_bytes.all.current"],
        "requested": stats["requested_bytes.all.current"],
        "peak_requested": stats["requested_bytes.all.peak"],
        "segments": stats["segment.all.current"],
    }


def cross_entropy():
    """Forward and backward of a loss over 1,024 tokens and 128,000 words."""
    logits = torch.randn(1024, 128000, device="cuda", dtype=torch.bfloat16)
    targets = torch.randint(0, 128000, (1024,), device="cuda")
    logits.requires_grad_(True)
    loss = F.cross_entropy(logits, targets)
    loss.backward()
    return counted()


def wide_linear():
    """Three forward passes of one layer; the outputs of one live until those of the next exist."""
    model = nn.Linear(10_000, 50_000, device="cuda")
    for _ in range(3):
        inputs = torch.randn(5_000, 10_000, device="cuda")
        outputs = model(inputs)
    figures = counted()
    del inputs, outputs
    return figures


PROGRAMS = {
    program.__name__: program
    for program in (three_small_tensors, mlp_activations, block_activations, cross_entropy, wide_linear)
}

if __name__ == "__main__":
    print(json.dumps(PROGRAMS[sys.argv[1]]()), flush=True)
    # Skips the interpreter's end, at which a thread of the last backward() may abort the process (pytorch issue 38228).
    os._exit(0)

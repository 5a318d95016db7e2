"""Holds memviz-capture against Python: what it prints against torch.autograd.graph.saved_tensors_hooks on the same
layers, and what it records against pickle.

usage: check_program.py PROGRAM
"""

import os
import pickle
import subprocess
import sys
import tempfile

BATCH, SEQUENCE, MODEL, HEADS = 2, 96, 64, 4
ACTIVATIONS = ["relu", "gelu", "tanh", "leaky_relu", "leaky_relu,inplace", "sigmoid", "silu"]


def run(*arguments):
    return subprocess.run([*arguments], check=True, capture_output=True, text=True).stdout


def measured(program, layer, activation, dtype, dropout):
    """The `saved bytes` of the table's only row."""
    table = run(program, "activations", "--act", activation, "--layer", layer, "--dtype", dtype, "--dropout",
                str(dropout), "--batch", str(BATCH), "--seq", str(SEQUENCE), "--d-model", str(MODEL), "--heads",
                str(HEADS))
    return int(table.splitlines()[-1][20:].split()[0])


def python_layers(torch):
    nn, functional = torch.nn, torch.nn.functional

    class Mlp(nn.Module):
        def __init__(self, activation, dropout):
            super().__init__()
            layers = [nn.Linear(MODEL, 4 * MODEL), activation, nn.Linear(4 * MODEL, MODEL)]
            self.layers = nn.Sequential(*layers, *([nn.Dropout(dropout)] if dropout else []))

        def forward(self, x):
            return self.layers(x)

    class Block(nn.Module):
        def __init__(self, activation, dropout):
            super().__init__()
            self.norms = nn.ModuleList([nn.LayerNorm(MODEL), nn.LayerNorm(MODEL)])
            self.project_in, self.project_out = nn.Linear(MODEL, 3 * MODEL), nn.Linear(MODEL, MODEL)
            self.mlp = Mlp(activation, dropout)

        def forward(self, x):
            parts = self.project_in(self.norms[0](x)).chunk(3, -1)
            q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in parts)
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.project_out(mixed.transpose(1, 2).flatten(-2))
            return x + self.mlp(self.norms[1](x))

    return {"mlp": Mlp, "block": Block}


def counted_by_python(torch, layer, activation, dtype, dropout):
    modules = {"relu": torch.nn.ReLU(), "gelu": torch.nn.GELU(), "tanh": torch.nn.Tanh(),
               "leaky_relu": torch.nn.LeakyReLU(), "leaky_relu,inplace": torch.nn.LeakyReLU(inplace=True),
               "sigmoid": torch.nn.Sigmoid(), "silu": torch.nn.SiLU()}
    dtype = getattr(torch, dtype)
    model = python_layers(torch)[layer](modules[activation], dropout).to(dtype)
    x = torch.randn(BATCH, SEQUENCE, MODEL, dtype=dtype, requires_grad=True)
    ignored = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    storages = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in ignored:
            storages[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        output = model(x)  # keeps what was saved alive, so that no address is used twice
    return sum(storages.values())


def check_against_python(program):
    try:
        import torch
    except ImportError:
        print("skipped: no torch in this Python, saved bytes are not compared")
        return
    cases = [(layer, activation, dtype, dropout) for layer in ("mlp", "block") for dtype in ("bfloat16", "float32")
             for dropout, activations in ((0, ACTIVATIONS), (0.1, ["gelu"])) for activation in activations]
    for case in cases:
        ours, python = measured(program, *case), counted_by_python(torch, *case)
        assert ours == python, f"{case}: {ours} bytes saved, but Python counts {python}"
    print(f"{len(cases)} layers: the same bytes as torch {torch.__version__} counts in Python")


def load(path):
    with open(path, "rb") as file:
        return pickle.load(file)


def check_recordings(program, folder):
    path = os.path.join(folder, "train.pickle")
    steps, layers = 3, 2
    run(program, "train", "--layers", str(layers), "--d-model", "32", "--heads", "2", "--seq", "16", "--batch", "2",
        "--steps", str(steps), "-o", path)
    snapshot = load(path)
    marks = [(note["name"], note["stage"]) for note in snapshot["external_annotations"]]
    expected = [(name, stage) for name in ("forward", "backward", "optimizer") for stage in ("START", "END")] * steps
    assert marks == expected, marks
    events = [event for trace in snapshot["device_traces"] for event in trace]
    assert any(event["action"] == "alloc" for event in events), "no allocation was recorded"
    blocks = [block for segment in snapshot["segments"] for block in segment["blocks"]]
    weight = 4 * 32 * 32 * 4  # widen.weight; as many bytes have its two moments and narrow's three
    count = sum(block["state"] == "active_allocated" and block["requested_size"] == weight for block in blocks)
    assert count >= 6 * layers, f"{count} blocks of {weight} bytes"
    print(f"train: {len(events)} events, {len(blocks)} blocks, {len(marks)} annotations")

    path = os.path.join(folder, "activations.pickle")
    run(program, "activations", "--act", "relu,gelu", "--batch", "1", "--seq", "16", "--d-model", "16", "-o", path)
    snapshot = load(path)
    names = [note["name"] for note in snapshot["external_annotations"]]
    assert names == ["relu", "relu", "gelu", "gelu"], names
    wide = 16 * 4 * 16 * 2  # ReLU keeps one tensor of this size, GELU two
    sizes = [block["requested_size"] for segment in snapshot["segments"] for block in segment["blocks"]]
    assert sizes.count(wide) >= 3, sizes


def main():
    program = sys.argv[1]
    check_against_python(program)
    with tempfile.TemporaryDirectory() as folder:
        check_recordings(program, folder)


main()

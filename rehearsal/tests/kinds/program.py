"""Trains a small transformer for three steps; writes snapshots, and what each block of them is.

    program.py early|late|resumed FOLDER

first.pickle after the first forward pass, unless the recording begins later; of the third step: forward.pickle after its
forward pass, end.pickle after its optimizer step, and for each, in NAME.json, the bytes of every storage whose kind PyTorch's own objects show, by address: {"12345": ["parameter", 64]}.
`early` records from before the model is built, `late` from the first step on, `resumed` from the second one, when the
optimizer has its state.
"""

import json
import pathlib
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

WIDTH, HEADS, LAYERS, WORDS, BATCH, LENGTH = 256, 8, 4, 3000, 4, 64


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        heads = [part.view(BATCH, LENGTH, HEADS, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).split(WIDTH, 2)]
        weights = F.softmax(heads[0] @ heads[1].transpose(-2, -1) * 0.1, dim=-1)
        x = x + self.out((weights @ heads[2]).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, words):
        return self.head(self.blocks(self.words(words)))


def record():
    torch.cuda.memory._record_memory_history(max_entries=1_000_000, stacks="all")


def main():
    when, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if when == "early":
        record()
    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    saved = {}

    def keep(tensor):
        if tensor.is_cuda and not isinstance(tensor, nn.Parameter):
            saved[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    def note(name, batch):
        truth = {}

        def add(kind, tensor):
            storage = tensor.untyped_storage()
            truth.setdefault(storage.data_ptr(), [kind, storage.nbytes()])

        for tensor in batch:
            add("input", tensor)
        for parameter in model.parameters():
            add("parameter", parameter)
            if parameter.grad is not None:
                add("gradient", parameter.grad)
        for state in optimizer.state.values():
            for tensor in state.values():
                if tensor.is_cuda:
                    add("optimizer_state", tensor)
        for address, size in saved.items():
            truth.setdefault(address, ["activation", size])
        (folder / f"{name}.json").write_text(json.dumps(truth))
        torch.cuda.memory._dump_snapshot(str(folder / f"{name}.pickle"))

    for step in range(3):
        if step == {"late": 0, "resumed": 1}.get(when):
            record()
        batch = [torch.randint(0, WORDS, (BATCH, LENGTH)).cuda() for _ in range(2)]
        saved.clear()
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            loss = F.cross_entropy(model(batch[0]).view(-1, WORDS), batch[1].view(-1))
        if step == 0 and when != "resumed":
            note("first", batch)
        if step == 2:
            note("forward", batch)
        loss.backward()
        saved.clear()
        optimizer.step()
        if step == 2:
            note("end", batch)
        optimizer.zero_grad()


if __name__ == "__main__":
    main()

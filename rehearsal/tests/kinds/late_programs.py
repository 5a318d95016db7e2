"""Programs whose history is turned on late, so that only the objects that refer to memory show what it is.

    late_programs.py FOLDER PROGRAM...

Each program runs in its own process, forked from one that has imported torch, and writes PROGRAM.pickle and
PROGRAM.json into FOLDER: the kind and the bytes of the storage of each parameter, buffer, gradient and optimizer's state,
by address.
"""

import json
import os
import pathlib
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

import memviz_torch

FOLDER = pathlib.Path(sys.argv[1])


def note(name, models, optimizers):
    truth = {}

    def add(kind, tensor):
        if isinstance(tensor, torch.Tensor) and tensor.is_cuda:
            storage = tensor.untyped_storage()
            truth.setdefault(storage.data_ptr(), [kind, storage.nbytes()])

    for model in models:
        for parameter in model.parameters():
            add("parameter", parameter)
            add("gradient", parameter.grad)
        for buffer in model.buffers():
            add("parameter", buffer)
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                add("parameter", parameter)
                add("gradient", parameter.grad)
            add("optimizer_state", group["lr"])
        for state in optimizer.state.values():
            for value in state.values():
                for tensor in value if isinstance(value, list) else [value]:
                    add("optimizer_state", tensor)
    (FOLDER / f"{name}.json").write_text(json.dumps(truth))


def train(name, models, optimizers, step, steps=3):
    """The last step is recorded, up to its optimizers."""
    for _ in range(steps - 1):
        step()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    with memviz_torch.record(str(FOLDER / f"{name}.pickle"), on_exit=False, on_oom=False) as recording:
        kept = step()
        note(name, models, optimizers)
        recording.dump(str(FOLDER / f"{name}.pickle"))
    return kept


class Language(nn.Module):
    """A transformer whose embedding is its head."""

    def __init__(self, words=1000, width=128, layers=3):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True) for _ in range(layers))
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight
        self.register_buffer("mask", torch.full((64, 64), float("-inf")).triu(1))

    def forward(self, words):
        x = self.words(words)
        for layer in self.layers:
            x = layer(x, src_mask=self.mask)
        return self.head(x)


def transformer():
    model = Language().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    words = torch.randint(0, 1000, (4, 64), device="cuda")

    def step():
        loss = F.cross_entropy(model(words).flatten(0, 1), words.flatten())
        loss.backward()
        return loss

    train("transformer", [model], [optimizer], step)


def convolutions():
    """Statistics of batch norm are buffers; the average is a copy of the model."""
    parts = [part for i in range(4) for part in (nn.Conv2d(3 if i == 0 else 32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU())]
    model = nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)).cuda()
    average = torch.optim.swa_utils.AveragedModel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    images = torch.randn(8, 3, 32, 32, device="cuda")

    def step():
        model(images).sum().backward()
        average.update_parameters(model)

    train("convolutions", [model, average], [optimizer], step)


def recurrent():
    """A fused optimizer whose rate is a tensor; gradients are accumulated."""
    model = nn.ModuleDict({"lstm": nn.LSTM(64, 128, 2, batch_first=True), "out": nn.Linear(128, 64)}).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True)
    optimizer.param_groups[0]["lr"] = torch.tensor(1e-3, device="cuda")  # Adam itself reads it, and finds 0 here
    frozen = nn.Linear(64, 64).cuda().requires_grad_(False)
    inputs = torch.randn(4, 32, 64, device="cuda")

    def step():
        for _ in range(2):
            hidden, _ = model["lstm"](frozen(inputs))
            (model["out"](hidden) - inputs).square().mean().backward()

    train("recurrent", [model, frozen], [optimizer], step)


def adversaries():
    """Two models and their optimizers, and the gradient of what both have made."""
    generator = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 784)).cuda()
    judge = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 1)).cuda()
    optimizers = [torch.optim.RMSprop(generator.parameters(), momentum=0.5), torch.optim.Adagrad(judge.parameters())]

    def step():
        made = generator(torch.randn(32, 64, device="cuda"))
        (judge(made).mean() - judge(torch.randn(32, 784, device="cuda")).mean()).backward()
        return made

    train("adversaries", [generator, judge], optimizers, step)


def functional():
    """Plain tensors, which an optimizer updates that keeps its directions."""
    weights = [(torch.randn(256, 256, device="cuda") * 0.05).requires_grad_() for _ in range(4)]
    optimizer = torch.optim.LBFGS(weights, max_iter=4, tolerance_grad=-1, tolerance_change=-1)
    inputs = torch.randn(16, 256, device="cuda")

    def closure():
        optimizer.zero_grad()
        x = inputs
        for weight in weights:
            x = torch.tanh(x @ weight)
        loss = x.square().mean()
        loss.backward()
        return loss

    class Step:
        """LBFGS takes the steps itself."""

        param_groups, state = optimizer.param_groups, optimizer.state
        step = zero_grad = staticmethod(lambda: None)

    train("functional", [], [Step], lambda: optimizer.step(closure))


def main():
    for name in sys.argv[2:]:
        child = os.fork()
        if child == 0:
            globals()[name]()
            sys.stdout.flush()
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            sys.exit(f"{name} failed")


if __name__ == "__main__":
    main()

"""Programs of several shapes that know what their tensors are; each writes NAME.pickle and NAME.json at its moments.

    programs.py FOLDER PROGRAM...

Each program runs in its own process, forked from one that has imported torch, and writes into FOLDER/PROGRAM.

NAME.json has the bytes of every storage whose kind PyTorch's own objects name, by address, as program.py does. What a
program holds itself, such as the output of its model, is "held".
"""

import os
import pathlib
import sys

import forward_only
import torch
import torch.nn as nn
import torch.nn.functional as F
from truth import Truth, record

FOLDER = pathlib.Path(sys.argv[1])
WIDTH, CLASSES, BATCH = 256, 16, 64


def layers(count=6):
    linears = [part for _ in range(count) for part in (nn.Linear(WIDTH, WIDTH), nn.GELU())]
    return nn.Sequential(*linears, nn.Linear(WIDTH, CLASSES))


def batch():
    return torch.randn(BATCH, WIDTH).cuda(), torch.randint(0, CLASSES, (BATCH,)).cuda()


def train(model, optimizer, steps=3, recorded_from=0, average=None):
    """The loop of PyTorch's tutorials: the output stays until the next one exists."""
    truth = Truth(model, optimizer)
    for step in range(steps):
        if step == recorded_from > 0:
            record()
        inputs, labels = batch()
        optimizer.zero_grad()
        with truth.forward():
            output = model(inputs)
            loss = F.cross_entropy(output, labels)
        held = [output, loss]
        is_noted = step == steps - 1 or recorded_from == 0
        if is_noted and step in (0, steps - 1):
            truth.note(f"forward{step}", [inputs, labels], held)
        loss.backward()
        truth.saved.clear()
        if is_noted:
            truth.note(f"backward{step}", [inputs, labels], held)
        optimizer.step()
        if average is not None:
            average.update_parameters(model)
    truth.note("end", [inputs, labels], held)


def sgd():
    record()
    model = layers().cuda()
    train(model, torch.optim.SGD(model.parameters(), lr=0.1))


def fused():
    record()
    model = layers().cuda()
    train(model, torch.optim.AdamW(model.parameters(), fused=True))


def assigned():
    """Weights are copied one by one and assigned."""
    with torch.device("meta"):
        model = layers(12)
    weights = layers(12).state_dict()
    record()
    model.load_state_dict({name: weight.to("cuda") for name, weight in weights.items()}, assign=True)
    with torch.no_grad():
        for _ in range(3):
            inputs, _ = batch()
            output = model(inputs)
    Truth(model).note("inference", [inputs], [output])


def kept():
    """Features of each step are kept in a list by the line that makes activations."""
    record()
    model = layers().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    truth, bank = Truth(model, optimizer), []
    for _ in range(8):
        inputs, labels = batch()
        with truth.forward():
            hidden = [inputs]
            for layer in model:
                hidden.append(layer(hidden[-1]))
            loss = F.cross_entropy(hidden[-1], labels)
        bank.append(hidden[2].detach())
        del hidden
        loss.backward()
        truth.saved.clear()
        optimizer.step()
        optimizer.zero_grad()
    truth.note("end", [inputs, labels], [*bank, loss])


def failed():
    """Out of memory in the first forward pass."""
    record()
    model = layers(16).cuda()
    truth = Truth(model)

    def fail(_, arguments):
        truth.keep(arguments[0])  # the module would keep it
        torch.empty(1 << 46, device="cuda")

    model[-1].register_forward_pre_hook(fail)
    inputs, labels = batch()
    try:
        with truth.forward():
            F.cross_entropy(model(inputs), labels)
    except torch.cuda.OutOfMemoryError:
        truth.note("failed", [inputs, labels])


def penalty():
    """Double backward: the gradient of the input is part of the loss."""
    record()
    model = layers().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    truth = Truth(model, optimizer)
    for step in range(3):
        inputs = torch.randn(BATCH, WIDTH).cuda().requires_grad_()
        with truth.forward():
            output = model(inputs)
            (slope,) = torch.autograd.grad(output.sum(), inputs, create_graph=True)
            loss = output.mean() + (slope.norm(2, 1) - 1).pow(2).mean()
        loss.backward()
        truth.saved.clear()
        truth.note(f"backward{step}", [inputs], [output, loss], [inputs.grad, slope])
        optimizer.step()
        optimizer.zero_grad()


def momentum():
    """The recording begins after the first step: the model and its momentum are older."""
    model = layers().cuda()
    train(model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), 4, recorded_from=2)


def averaged():
    """The averaged model is as old as the model."""
    model = layers().cuda()
    average = torch.optim.swa_utils.AveragedModel(model)
    train(model, torch.optim.AdamW(model.parameters()), 4, recorded_from=2, average=average)


PROGRAMS = {one.__name__: one for one in (sgd, fused, assigned, kept, failed, penalty, momentum, averaged)}
PROGRAMS.update(forward_only.PROGRAMS)


def main():
    for name in sys.argv[2:]:
        (FOLDER / name).mkdir()
        child = os.fork()
        if child == 0:
            os.chdir(FOLDER / name)
            PROGRAMS[name]()
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status != 0:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

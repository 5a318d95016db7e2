"""The kinds of memory that PyTorch's own objects show at a moment, written with a snapshot of that moment."""

import json
import pathlib

import torch
import torch.nn as nn


class Truth:
    """The tensors with known kinds."""

    def __init__(self, model, optimizer=None):
        self.model, self.optimizer, self.saved = model, optimizer, {}

    def forward(self):
        self.saved = {}
        return torch.autograd.graph.saved_tensors_hooks(self.keep, lambda tensor: tensor)

    def keep(self, tensor):
        if tensor.is_cuda and not isinstance(tensor, nn.Parameter):
            storage = tensor.untyped_storage()
            self.saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    def note(self, name, inputs=(), held=(), gradients=()):
        truth = {}
        kinds = [("held", held), ("parameter", self.model.parameters())]
        kinds.append(("gradient", gradients))
        kinds.append(("gradient", (parameter.grad for parameter in self.model.parameters())))
        if self.optimizer is not None:
            states = [tensor for state in self.optimizer.state.values() for tensor in state.values()]
            kinds.append(("optimizer_state", (tensor for tensor in states if isinstance(tensor, torch.Tensor))))
        for kind, tensors in [*kinds, ("input", inputs)]:
            for tensor in tensors:
                if tensor is not None and tensor.is_cuda:
                    storage = tensor.untyped_storage()
                    truth.setdefault(storage.data_ptr(), [kind, storage.nbytes()])
        for address, size in self.saved.items():
            truth.setdefault(address, ["activation", size])
        pathlib.Path(f"{name}.json").write_text(json.dumps(truth))
        torch.cuda.memory._dump_snapshot(f"{name}.pickle")

    @staticmethod
    def look_back(name):
        """Writes a snapshot whose peak is the moment NAME."""
        torch.cuda.memory._dump_snapshot(f"{name}.later")


def use_one_segment():
    """Lets the memory of each pool lie in one segment, in the order in which it was made."""
    torch.cuda.memory._set_allocator_settings("expandable_segments:True")


def record(stacks="all"):
    torch.cuda.memory._record_memory_history(max_entries=1_000_000, stacks=stacks)

"""What autograd keeps of a forward pass for backward, as PyTorch's own hooks see it."""

import torch


def storage_of(tensor):
    return tensor.untyped_storage()._cdata


def saved_bytes(model, inputs):
    """The bytes of the distinct storages that are kept, without those of parameters and buffers."""
    known = {storage_of(tensor) for tensor in (*model.parameters(), *model.buffers())}
    kept = {}

    def pack(tensor):
        if storage_of(tensor) not in known:
            kept[storage_of(tensor)] = tensor  # held, so that no other storage gets its place
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = model(*inputs)
    total = sum(tensor.untyped_storage().nbytes() for tensor in kept.values())
    del result
    return total

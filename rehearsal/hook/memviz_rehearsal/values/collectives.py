"""What collectives leave on the made-up GPU: nothing that is known, except where the other ranks of the job are absent.
These did what this rank did (job/world.py): a sum is N times this rank's, and a broadcast changes nothing."""

import torch

_KEEPING = {"wait_tensor", "_wrap_tensor_autograd"}  # which exchange nothing
_CHANGES = {
    "sum": lambda value, ranks: value * ranks,
    "product": lambda value, ranks: value**ranks,
    **dict.fromkeys(("avg", "min", "max", "band", "bor"), lambda value, _: value),
}


def learn(known, func, args, inputs, outputs, is_alone):
    """Notes it after the collective. Schemas do not mark all tensors that are written. `is_alone`: whether all other
    ranks are absent."""
    if func._schema.name.partition("::")[2] in _KEEPING:
        return
    own, change = _change(func, args) if is_alone else ([], None)
    values = [(known.view(tensor), known.is_made_up(tensor)) for tensor in own]
    for tensor in inputs + outputs:
        known.forget(tensor)
    for tensor, (value, is_made_up) in zip(outputs, values):
        if value is not None and known.is_whole(tensor):
            known.learn(tensor, change(value), is_made_up)


def _change(func, args):
    """Returns the tensors of which this rank's values decide those of the outputs, and the function that does it."""
    name = func._schema.name
    own = args[0] if isinstance(args[0], (list, tuple)) else [args[0]]
    if name in ("c10d::broadcast_", "_c10d_functional::broadcast", "_c10d_functional::broadcast_"):
        return own, lambda value: value
    if name in ("_c10d_functional::all_reduce", "_c10d_functional::all_reduce_"):
        change = _CHANGES.get(args[1].lower())
        group = torch.distributed.distributed_c10d._resolve_process_group(args[2])
    elif name == "c10d::allreduce_" and hasattr(torch.distributed.ReduceOp, "unbox"):  # PyTorch 2.11 does not have it
        operation = torch.distributed.ReduceOp.unbox(args[2])
        change = next((_CHANGES[one] for one in _CHANGES if operation == getattr(torch.distributed.ReduceOp, one.upper())), None)
        group = torch.distributed.ProcessGroup.unbox(args[1])
    else:
        return [], None
    return (own, lambda value: change(value, group.size())) if change else ([], None)

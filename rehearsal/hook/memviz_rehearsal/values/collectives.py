"""What collectives leave on the made-up GPU: nothing that is known, except where the other ranks of the job are absent.
These did what this rank did (job/world.py): a sum is N times this rank's, and a broadcast changes nothing."""

import torch

from memviz_rehearsal.journal import guarded

_KEEPING = {"wait_tensor", "_wrap_tensor_autograd"}  # which exchange nothing
_CHANGES = {
    "sum": lambda value, ranks: value * ranks,
    "product": lambda value, ranks: value**ranks,
    **dict.fromkeys(("avg", "min", "max", "band", "bor"), lambda value, _: value),
}


def learn(known, func, args, inputs, outputs, present):
    """Notes it after the collective. Schemas do not mark all tensors that are written. `present`: the ranks that are
    not absent, this one among them; None if all are."""
    if func._schema.name.partition("::")[2] in _KEEPING:
        return
    own, change = (guarded(_change, func, args, present) if present else None) or ([], None)
    values = [(known.view(tensor), known.is_made_up(tensor)) for tensor in own]
    for tensor in inputs + outputs:
        known.forget(tensor)
    for tensor, (value, is_made_up) in zip(outputs, values):
        if value is not None and known.is_whole(tensor):
            known.learn(tensor, change(value), is_made_up)


def _change(func, args, present):
    """Returns the tensors of which this rank's values decide those of the outputs, and the function that does it."""
    name = func._schema.name
    own = args[0] if isinstance(args[0], (list, tuple)) else [args[0]]
    if name in ("c10d::broadcast_", "_c10d_functional::broadcast", "_c10d_functional::broadcast_"):
        group, source = (args[1], args[2]) if name.startswith("c10d") else (args[2], args[1])
        ranks = _ranks_of(group)
        change = None if ranks[source] in _others(ranks, present) else lambda value, _: value
    elif name in ("_c10d_functional::all_reduce", "_c10d_functional::all_reduce_"):
        ranks = _ranks_of(args[2])
        change = None if _others(ranks, present) else _CHANGES.get(args[1].lower())
    elif name == "c10d::allreduce_" and hasattr(torch.distributed.ReduceOp, "unbox"):  # PyTorch 2.11 does not have it
        ranks = _ranks_of(args[1])
        operation = torch.distributed.ReduceOp.unbox(args[2])
        names = () if _others(ranks, present) else _CHANGES
        change = next((_CHANGES[one] for one in names if operation == getattr(torch.distributed.ReduceOp, one.upper())), None)
    else:
        return [], None
    return (own, lambda value: change(value, len(ranks))) if change else ([], None)


def _ranks_of(group):
    """Takes the name of a group, or the group as operators get it."""
    if isinstance(group, str):
        group = torch.distributed.distributed_c10d._resolve_process_group(group)
    else:
        group = torch.distributed.ProcessGroup.unbox(group)
    return torch.distributed.get_process_group_ranks(group)


def _others(ranks, present):
    """Returns the other present ranks of a group."""
    return [rank for rank in ranks if rank in present and rank != torch.distributed.get_rank()]

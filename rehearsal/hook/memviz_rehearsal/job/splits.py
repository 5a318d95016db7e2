"""Handles groups that PyTorch splits off another one (new_group and split_group of a job whose devices are bound). NCCL
learns the size of the new communicator from the colors of all ranks; the made-up one gets it from PyTorch's groups.
"""

import ctypes
import functools

from memviz_rehearsal.job import objects


def install(torch):
    distributed = getattr(torch, "distributed", None)
    announce = getattr(ctypes.CDLL(None), "memviz_rehearsal_split_ranks", None)
    if announce is None or distributed is None or not distributed.is_available():
        return
    c10d = distributed.distributed_c10d

    def during(make, ranks_of):
        @functools.wraps(make)
        def make_announced(*arguments, **named):
            announce(ranks_of(*arguments, **named))
            try:
                return make(*arguments, **named)
            finally:
                announce(0)

        objects.replace(make, make_announced)

    def ranks_of_part(parent_pg=None, split_ranks=None, *_, **__):
        me = (parent_pg or c10d._get_default_group()).rank()
        return next((len(part) for part in split_ranks or () if me in part), 0)

    during(c10d._new_process_group_helper, lambda group_size, *_, **__: group_size)
    if hasattr(c10d, "split_group"):
        during(c10d.split_group, ranks_of_part)


def split_around(torch, fake):
    """Splits a group whose CPU tensors a fake answers for without the fake: the part gets its own."""
    group_class = torch.distributed.distributed_c10d.ProcessGroup
    split = getattr(group_class, "split_group", None)
    if split is None:  # before PyTorch 2.8 only NCCL's part is split
        return
    cpu = torch.device("cpu")

    def without_cpu(group):
        rest = group_class(group.get_group_store(), group.rank(), group.size())
        rest._set_group_name(group.group_name)
        rest._set_group_desc(group.group_desc)
        rest.bound_device_id = group.bound_device_id
        rest._set_default_backend(group_class.BackendType.NCCL)
        cuda = torch.device("cuda")
        rest._register_backend(cuda, group_class.BackendType.NCCL, group._get_backend(cuda))
        return rest

    def add_fake(group):
        name, description = group.group_name, group.group_desc
        answers = getattr(fake, "_create_internal", fake)(group.rank(), group.size())
        group._register_backend(cpu, group_class.BackendType.GLOO, answers)
        group._set_group_name(name)  # for the fake as well: the group's name is that of its first part
        group._set_group_desc(description)

    def split_group(group, ranks, *arguments, **named):
        has_fake = {"cpu", "cuda"} <= {device.type for device in group._device_types} and isinstance(
            group._get_backend(cpu), fake
        )
        devices = named.get("device_types")
        part = split(without_cpu(group) if has_fake and devices is None else group, ranks, *arguments, **named)
        if part is not None and has_fake and devices is None:
            add_fake(part)
        return part

    group_class.split_group = split_group

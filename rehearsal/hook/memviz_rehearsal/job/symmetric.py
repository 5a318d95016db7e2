"""Handles symmetric memory (torch.distributed._symmetric_memory) of a job whose other ranks are absent. PyTorch
exchanges the requests of all ranks through the group's store and their file descriptors through a socket named by the
process, so answers in the name of this rank reach this process again, and the made-up GPU takes each for the memory of
a peer.
"""

import inspect
import os
import re

# All ranks then have this one's device. Multicast objects come from the group's first rank, which may be absent.
_SETTINGS = ("TORCH_SYMM_MEM_ALLOW_OVERLAPPING_DEVICES", "TORCH_SYMM_MEM_DISABLE_MULTICAST")


def install(act_at_imports):
    os.environ.update(dict.fromkeys(_SETTINGS, "1"))
    act_at_imports([("torch.distributed._symmetric_memory", _use_the_groups_store)])


def of_this_rank(key, kept):
    """Answers with what this rank wrote for a rank of its group; keys end with the rank in the group. All ranks are
    at barriers."""
    if key.endswith("/last_member"):
        return b"1"
    place = re.match(r"(.*SymmetricMemory/\d+/)\d+$", key)
    if place:
        for other, value in kept.items():
            if other.startswith(place[1]):
                return value
    return None


def _use_the_groups_store(module):
    """PyTorch 2.5 and 2.6 let each group meet in a file, where they wait for all ranks."""
    if "FileStore(" not in inspect.getsource(module.enable_symm_mem_for_group):
        return

    def enable_symm_mem_for_group(group_name):
        if group_name in module._group_name_to_store:
            return
        group = module.c10d._resolve_process_group(group_name)
        store = module.c10d._get_process_group_store(group)
        module._group_name_to_store[group_name] = store
        module._SymmetricMemory.set_group_info(group_name, group.rank(), group.size(), store)

    module.enable_symm_mem_for_group = enable_symm_mem_for_group

import types

import torch
from torch import OutOfMemoryError  # noqa: F401
from torch.cuda import memory  # noqa: F401

_queued = []
_is_initialized = False


def _lazy_call(function):
    if _is_initialized:
        function()
    else:
        _queued.append(function)


def _lazy_init():
    global _is_initialized
    if not _is_initialized:
        _is_initialized = True
        for function in _queued:
            function()


def is_initialized():
    return _is_initialized


def device_count():
    return 1


def memory_stats(device):
    return {"reserved_bytes.all.peak": torch._state.peak, "allocated_bytes.all.peak": torch._state.peak}


def is_available():
    return torch.version.cuda is not None


def memory_reserved(device):
    return torch._state.used


def mem_get_info(device):
    return torch.TOTAL_BYTES - torch.CONTEXT_BYTES - torch._state.used, torch.TOTAL_BYTES


def get_device_properties(device):
    return types.SimpleNamespace(uuid="00000000-stand-in")

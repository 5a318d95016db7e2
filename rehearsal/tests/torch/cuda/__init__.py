import threading
import traceback
import types

import torch
from torch import OutOfMemoryError  # noqa: F401
from torch.cuda import memory  # noqa: F401

_queued_calls = []  # never emptied, as torch's
_initialized = False
_tls = threading.local()


class DeferredCudaCallError(Exception):
    pass


def _lazy_call(function):
    if is_initialized():
        function()
    else:
        _queued_calls.append((function, traceback.format_stack()))


def _lazy_init():
    global _initialized
    if is_initialized() or hasattr(_tls, "is_initializing"):
        return
    _tls.is_initializing = True
    try:
        for function, stack in _queued_calls:
            try:
                function()
            except Exception as error:
                raise DeferredCudaCallError(
                    f"CUDA call failed lazily at initialization with error: {error}\n\n"
                    f"CUDA call was originally invoked at:\n\n{''.join(stack)}"
                ) from error
    finally:
        del _tls.is_initializing
    _initialized = True  # only now: what waited sees a CUDA that is not initialised


def is_initialized():
    return _initialized


def device_count():
    # With a driver, a process forked from one that has initialised CUDA cannot use it.
    torch._state.was_counted_before_use |= not _initialized
    return 1


def memory_stats(device):
    return {"reserved_bytes.all.peak": torch._state.peak, "allocated_bytes.all.peak": torch._state.peak}


def is_available():
    return torch.version.cuda is not None and device_count() > 0


def memory_allocated(device=0):
    return torch._state.used


def current_device():
    return 0


def current_stream(device):
    return types.SimpleNamespace(cuda_stream=7 if device == 0 else 0)


def memory_reserved(device):
    return torch._state.used


def mem_get_info(device=0):
    return torch.TOTAL_BYTES - torch.CONTEXT_BYTES - torch._state.used, torch.TOTAL_BYTES


def get_device_properties(device):
    return types.SimpleNamespace(uuid="00000000-stand-in")


def get_device_capability():
    return tuple(map(int, torch.PROFILE.get("compute_capability", "7.5").split(".")))

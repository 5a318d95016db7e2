import os
import pickle

import torch


def _record_memory_history(enabled="all", clear_history=False, **named):
    torch._needs_native("recordHistory")
    if enabled and named.get("stacks", "all") == "all" and "FAKE_TORCH_HAS_NO_UNWINDING" in os.environ:
        raise RuntimeError("record_context_cpp is not supported on non-linux non-x86_64 platforms")
    torch._state.history = enabled
    if enabled:
        torch._state.asked = named
    if not enabled:
        torch._state.events.clear()


def _snapshot():
    return torch._C._cuda_memorySnapshot(None)


def _dump_snapshot(filename):
    with open(filename, "wb") as file:
        pickle.dump(_snapshot(), file)

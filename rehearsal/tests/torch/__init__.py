"""Stands in for torch: as much of it as the hooks of `memviz rehearse` and `memviz run` know, with its own memory that
is written to MEMVIZ_REHEARSAL_REPORT, where that is named, as the made-up GPU does."""

import atexit
import json
import os
import time
import types

__version__ = "2.99.0+cu130"
version = types.SimpleNamespace(cuda=None if os.environ.get("FAKE_TORCH_IS_CPU") else "13.0")


def _profile():
    """The values of the profile by name, as text."""
    profile = os.environ.get("MEMVIZ_REHEARSAL_GPU", "")
    if "/" not in profile:
        return {}
    with open(profile) as file:
        return dict(line.split("#")[0].strip().split(" = ") for line in file if " = " in line)


PROFILE = _profile()
# Returns the variable's value, else the profile's, like the made-up GPU.
TOTAL_BYTES = int(os.environ.get("MEMVIZ_REHEARSAL_MEMORY") or PROFILE.get("total_bytes", 1 << 30))
CONTEXT_BYTES = 1 << 20
# The memory that other programs and the system have of the one device.
OTHER_BYTES = int((os.environ.get("MEMVIZ_REHEARSAL_OTHERS") or "0").split(",")[0]) + int(PROFILE.get("system_bytes", 0))

# "native", or one of those without history and error reports: cudaMallocAsync, pluggable.
ALLOCATOR = os.environ.get("FAKE_TORCH_ALLOCATOR", "native")

_state = types.SimpleNamespace(
    history=None, observers=[], events=[], live={}, used=0, peak=0, next=1 << 20, was_counted_before_use=False, most_other=0
)


class OutOfMemoryError(RuntimeError):
    pass


SOURCE_FILE = os.environ.get("STUB_TRAIN_PY", "/home/me/train.py")  # of the one line that allocates; programs may name another


def _needs_native(what):
    if ALLOCATOR != "native":
        raise RuntimeError(f"{ALLOCATOR} does not yet support {what}\nException raised from {what} (most recent call first)")


def _attach(observer):
    _needs_native("attachOutOfMemoryObserver")
    _state.observers.append(observer)


def _snapshot(*_):
    _needs_native("snapshot")
    segments = []
    for address, size in _state.live.items():
        block = {"address": address, "size": size, "requested_size": size, "state": "active_allocated", "frames": []}
        segments.append(
            {
                "device": 0,
                "address": address,
                "total_size": size,
                "stream": 0,
                "segment_type": "large",
                "segment_pool_id": (0, 0),
                "is_expandable": False,
                "frames": [],
                "blocks": [block],
            }
        )
    return {
        "segments": segments,
        "device_traces": [list(_state.events)],
        "allocator_settings": {"expandable_segments": False},
        "external_annotations": [],
    }


def _event(action, address, size, **more):
    if _state.history and action not in _state.asked.get("skip_actions", ()):
        frames = [{"name": "step", "filename": SOURCE_FILE, "line": 12}]
        event = {"action": action, "addr": address, "size": size, "stream": 0, "frames": frames, **more}
        _state.events.append({**event, "time_us": time.time_ns() // 1000})
        del _state.events[: -1 if _state.history == "state" else -_state.asked.get("max_entries", 1 << 62)]


def allocate(size, kind=""):
    """The kind is attached to the allocation, as torch.cuda.memory._set_memory_metadata() does."""
    from torch import cuda

    cuda._lazy_init()
    free = TOTAL_BYTES - CONTEXT_BYTES - OTHER_BYTES - _state.used
    if size > free:
        _state.most_other = OTHER_BYTES
        _event("oom", free, size, device_free=free)  # only then do observers hear of it
        for observer in _state.observers:
            observer(0, size, TOTAL_BYTES, free)
        raise OutOfMemoryError(f"CUDA out of memory: {size}")
    address = _state.next
    _state.next += size
    _state.live[address] = size
    _state.used += size
    _state.peak = max(_state.peak, _state.used)
    _event("segment_alloc", address, size)
    _event("alloc", address, size, **({"user_metadata": kind} if kind else {}))
    return address


def release(address):
    size = _state.live.pop(address)
    _state.used -= size
    for action in ("free_requested", "free_completed", "segment_free"):
        _event(action, address, size)


def _report():
    outside = int(os.environ.get("MEMVIZ_REHEARSAL_OUTSIDE", "0"))
    device = {"device": 0, "total_bytes": TOTAL_BYTES, "context_bytes": CONTEXT_BYTES, "outside_bytes": outside}
    line = {
        "pid": os.getpid(),
        "profile": "test",
        "devices": [dict(device, used_bytes=_state.used, peak_used_bytes=_state.peak + outside, most_other_bytes=_state.most_other,
                         peak_all_bytes=CONTEXT_BYTES + OTHER_BYTES + _state.peak + outside)],
        "host_reads": 2,
        "kernel_launches": 5,
        "notes": ["cuDNN: workspaces are a guess"],
    }
    with open(os.environ["MEMVIZ_REHEARSAL_REPORT"], "a") as file:
        file.write(json.dumps(line) + "\n")


_C = types.SimpleNamespace()
if version.cuda:
    _C._cuda_memorySnapshot = _snapshot
    _C._cuda_attach_out_of_memory_observer = _attach
    _C._cuda_resetPeakMemoryStats = lambda device: setattr(_state, "peak", _state.used)
    _C._cuda_isHistoryEnabled = lambda: bool(_state.history)
    if "MEMVIZ_REHEARSAL_REPORT" in os.environ:
        atexit.register(_report)

from torch import cuda, optim  # noqa: E402,F401

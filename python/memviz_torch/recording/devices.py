"""The memory that the devices hold outside PyTorch: CUDA's own totals, and, if NVML is available, the other
processes on the device."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Optional

_NOT_AVAILABLE = (1 << 64) - 1


def measured(torch: Any, always: Optional[int] = None) -> list[dict[str, int]]:
    """Returns a dict for each device on which this process holds memory, and for the device ``always``."""
    found = []
    for device in range(torch.cuda.device_count()):
        reserved = torch.cuda.memory_reserved(device)
        if reserved == 0 and device != always:
            continue  # asking CUDA would make a context there, which takes memory
        facts = {"device": device}
        _try(_add_totals, facts, torch, device)
        _try(_add_processes, facts, torch, device, reserved)
        found.append(facts)
    return found


def _try(function: Any, *arguments: Any) -> None:
    """Facts that are not available are omitted."""
    try:
        function(*arguments)
    except Exception:
        pass


def _add_totals(facts: dict[str, int], torch: Any, device: int) -> None:
    free, total = torch.cuda.mem_get_info(device)
    facts["total_bytes"] = int(total)
    facts["free_bytes"] = int(free)


def _add_processes(facts: dict[str, int], torch: Any, device: int, reserved: int) -> None:
    processes = processes_of(str(torch.cuda.get_device_properties(device).uuid))
    own = processes.pop(os.getpid(), None)
    # In a container NVML's process ids may be those of the machine: then this process is not among them, or an
    # unrelated one has its id.
    others = [size for size in processes.values() if size is not None]
    if own is None or own < reserved or len(others) < len(processes):
        return
    facts["own_outside_bytes"] = own - reserved
    facts["other_processes"] = len(others)
    facts["other_processes_bytes"] = sum(others)


class _Process(ctypes.Structure):
    """nvmlProcessInfo_t of version 2 and 3."""

    _fields_ = [
        ("pid", ctypes.c_uint),
        ("bytes", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


def processes_of(uuid: str, library: Any = None) -> dict[int, Optional[int]]:
    """Returns bytes by process id, None if NVML does not show them. Raises OSError if there is no NVML, or it does
    not know the device."""
    nvml = library if library is not None else ctypes.CDLL("libnvidia-ml.so.1")
    _call(nvml.nvmlInit_v2)
    try:
        handle = _handle(nvml, uuid)
        found: dict[int, Optional[int]] = {}
        for kind in ("Compute", "Graphics"):
            for process in _running(nvml, kind, handle):
                sizes = [found.get(process.pid), None if process.bytes == _NOT_AVAILABLE else process.bytes]
                found[process.pid] = max((size for size in sizes if size is not None), default=None)
        return found
    finally:
        nvml.nvmlShutdown()


def _call(function: Any, *arguments: Any) -> None:
    error = function(*arguments)
    if error != 0:
        raise OSError(f"NVML: error {error}")


def _handle(nvml: Any, uuid: str) -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    error = 0
    for prefix in ("", "GPU-", "MIG-"):
        error = nvml.nvmlDeviceGetHandleByUUID(ctypes.c_char_p((prefix + uuid).encode()), ctypes.byref(handle))
        if error == 0:
            return handle
    raise OSError(f"NVML: error {error} for the device {uuid}")


def _running(nvml: Any, kind: str, handle: ctypes.c_void_p) -> list[Any]:
    get = None
    for version in ("_v3", "_v2"):  # they differ in nothing that is read here
        get = get or getattr(nvml, f"nvmlDeviceGet{kind}RunningProcesses{version}", None)
    if get is None:
        raise OSError("NVML is too old to list the processes of a device")
    room = 256
    processes = (_Process * room)()
    count = ctypes.c_uint(room)
    _call(get, handle, ctypes.byref(count), processes)
    return processes[: count.value]  # of more than there is room for NVML makes an error

"""Answers for the memory of a machine whose CPU and GPU share it: psutil, by which servers ask there how much is
available, says what NVML says of the made-up GPU, instead of what this machine has."""

import ctypes
import functools

from memviz_rehearsal.journal import SETTINGS


def install(act_at_imports):
    if SETTINGS["shares_memory"]:
        act_at_imports([("psutil", _answer)])


def _answer(psutil):
    read = psutil.virtual_memory

    @functools.wraps(read)
    def read_made_up():
        total, free, used = _bytes_of_gpu()
        return read()._replace(total=total, available=free, free=free, used=used, percent=round(100 * used / total, 1))

    psutil.virtual_memory = read_made_up


def _bytes_of_gpu():
    """Returns the total, the free and the used bytes of the machine's first device."""
    nvml, device, figures = ctypes.CDLL(None), ctypes.c_void_p(), (ctypes.c_uint64 * 3)()
    error = nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)) or nvml.nvmlDeviceGetMemoryInfo(device, figures)
    if error:
        raise OSError(f"the made-up GPU does not say its memory: NVML's error {error}")
    return list(figures)

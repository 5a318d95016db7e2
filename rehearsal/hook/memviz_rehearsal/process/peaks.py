"""The peaks of PyTorch's allocator over the whole run, of a program that may reset them."""

import functools
import os

from memviz_rehearsal.journal import guarded


class Peaks:
    def __init__(self, torch):
        self._torch = torch
        self._before = {}  # device: (reserved, allocated) before the program reset its peaks

    def install(self):
        """Remembers peaks that the program resets in torch.cuda.memory_stats()."""
        reset = self._torch._C._cuda_resetPeakMemoryStats

        @functools.wraps(reset)
        def keep_and_reset(device):
            guarded(self._remember, device)
            return reset(device)

        self._torch._C._cuda_resetPeakMemoryStats = keep_and_reset

    def _remember(self, device):
        stats = self._torch.cuda.memory_stats(device)
        reserved, allocated = self._before.get(device, (0, 0))
        self._before[device] = (
            max(reserved, stats.get("reserved_bytes.all.peak", 0)),
            max(allocated, stats.get("allocated_bytes.all.peak", 0)),
        )
        return stats

    def device_facts(self):
        """Returns the peaks and the failures of each device that was used."""
        facts = []
        for device in range(self._torch.cuda.device_count()):
            stats = self._remember(device)
            reserved, allocated = self._before[device]
            if reserved > 0:
                facts.append(
                    {
                        "device": _machine_device(device),
                        "peak_reserved_bytes": reserved,
                        "peak_allocated_bytes": allocated,
                        "ooms": stats.get("num_ooms", 0),
                        "retries": stats.get("num_alloc_retries", 0),
                    }
                )
        return facts


def _machine_device(device):
    """Returns the number of a device without CUDA_VISIBLE_DEVICES, as in the report of the made-up GPU."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    number = visible[device].strip() if device < len(visible) else ""
    return int(number) if number.isdigit() else device

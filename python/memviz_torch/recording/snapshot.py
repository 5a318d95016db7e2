"""A snapshot as torch takes it, with what memviz adds: a key that other readers ignore, and the marks of steps among
`external_annotations`, where torch keeps those of record_function."""

from __future__ import annotations

import collections
import pickle
import time
from typing import Any, Iterable, Iterator, Optional

from . import devices, files

KEY = "memviz_recorder"


def pickled(
    torch: Any, tensors: Iterable[Any] = (), steps: Optional[Steps] = None, failed_device: Optional[int] = None
) -> bytes:
    """The bytes of a file."""
    taken = torch.cuda.memory._snapshot()
    taken[KEY] = {
        "format": 1,
        "torch": str(torch.__version__),
        "rank": files.rank(),
        "devices": devices.measured(torch, failed_device),
        "tensors": list(tensors),
    }
    if steps is not None and len(steps.times) > 1:
        annotations = taken.setdefault("external_annotations", [])
        for device, trace in enumerate(taken.get("device_traces", ())):
            if trace:
                annotations.extend(steps.marks(device))
    return pickle.dumps(taken, protocol=4)


class Steps:
    """When steps began: the last 10,000 of them."""

    def __init__(self) -> None:
        self.times: collections.deque[int] = collections.deque(maxlen=10_000)
        self._count = 0

    def begin(self) -> None:
        self.times.append(time.time_ns() // 1000)
        self._count += 1

    def marks(self, device: int) -> Iterator[dict[str, Any]]:
        """Entries of external_annotations. The last step is not over."""
        times = list(self.times)
        for number, (begin, end) in enumerate(zip(times, [*times[1:], None]), self._count - len(times)):
            yield _mark(number, "START", device, begin)
            if end is not None:
                yield _mark(number, "END", device, end)


def _mark(number: int, stage: str, device: int, time_us: int) -> dict[str, Any]:
    return {"stage": stage, "name": f"memviz_step#{number}", "device": device, "time_us": time_us}

"""A snapshot as torch takes it, with what memviz adds: a key that other readers ignore, and the marks of steps among
`external_annotations`, where torch keeps those of record_function."""

from __future__ import annotations

import collections
import os
import pickle
import sys
import time
import types
from typing import Any, Iterable, Iterator, Optional

from . import devices, ranks
from .oom import Refusal

KEY = "memviz_recorder"
# The distance from the end of a device's events within which torch's own event of an error may be: other threads go
# on meanwhile.
_NEAR_THE_END = 64
_OWN_FOLDER = os.path.dirname(__file__) + os.sep


def pickled(
    torch: Any, tensors: Iterable[Any] = (), steps: Optional[Steps] = None, refusal: Optional[Refusal] = None
) -> bytes:
    """The bytes of a file; at an out-of-memory error, with what was refused."""
    taken = torch.cuda.memory._snapshot()
    if refusal is not None:
        _add_refusal(torch, taken, refusal)
    taken[KEY] = {
        "format": 1,
        "torch": str(torch.__version__),
        "rank": ranks.rank(),
        "devices": devices.measured(torch, refusal.device if refusal else None),
        "tensors": list(tensors),
    }
    if steps is not None and len(steps.times) > 1:
        annotations = taken.setdefault("external_annotations", [])
        for device, trace in enumerate(taken.get("device_traces", ())):
            if trace:
                annotations.extend(steps.marks(device))
    return pickle.dumps(taken, protocol=4)


def _add_refusal(torch: Any, taken: dict[str, Any], refusal: Refusal) -> None:
    """The event that torch writes where it records events at all. Without it the file would be one of a moment at which
    nothing failed, for torch's own viewer as well: history may be off, or leave these out (skip_actions)."""
    traces = taken.get("device_traces", ())
    if refusal.device >= len(traces):
        return
    trace = traces[refusal.device]
    for event in trace[-_NEAR_THE_END:]:
        if event.get("action") == "oom" and event.get("size") == refusal.requested_bytes:
            return
    trace.append(
        {
            "action": "oom",
            "device_free": refusal.free_bytes,
            "size": refusal.requested_bytes,
            "stream": _stream(torch, refusal.device),
            "time_us": refusal.time_us,
            "frames": _frames(),
        }
    )


def _stream(torch: Any, device: int) -> int:
    """Of this thread, which is the one that asked; 0 is the default stream."""
    try:
        return int(torch.cuda.current_stream(device).cuda_stream)
    except Exception:
        return 0


def _frames() -> list[dict[str, Any]]:
    """The program's Python frames, innermost first, as torch has them."""
    found: list[dict[str, Any]] = []
    frame: Optional[types.FrameType] = sys._getframe()
    while frame is not None and len(found) < 256:
        code = frame.f_code
        if not code.co_filename.startswith(_OWN_FOLDER):
            found.append({"name": code.co_name, "filename": code.co_filename, "line": frame.f_lineno})
        frame = frame.f_back
    return found


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

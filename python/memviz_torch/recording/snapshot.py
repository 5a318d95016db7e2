"""A snapshot as torch takes it, with memviz's additions: a key that other readers ignore, and the marks of steps
among `external_annotations`, where torch keeps those of record_function."""

from __future__ import annotations

import collections
import contextlib
import itertools
import os
import pickle
import shutil
import sys
import time
from typing import Any, ContextManager, Iterable, Iterator, Optional

from . import devices, keepers, keepers_frames, ranks
from .oom import Refusal

KEY = "memviz_recorder"
# The maximum distance of torch's own event of an error from the end of a device's events: other threads continue
# meanwhile.
_NEAR_THE_END = 64
_MOST_FRAMES = 256
_SYMBOLIZE_MODE = "TORCH_SYMBOLIZE_MODE"  # PyTorch 2.4 to 2.15


def pickled(
    torch: Any,
    tensors: Iterable[Any] = (),
    steps: Optional[Steps] = None,
    refusal: Optional[Refusal] = None,
    undisturbed: ContextManager[None] = contextlib.nullcontext(),
) -> bytes:
    """Returns the bytes of a file; at an out-of-memory error, including the refused request. What has to be of one
    moment is read within ``undisturbed``."""
    with undisturbed:
        taken = with_keepers(torch)
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


def with_keepers(torch: Any) -> dict[str, Any]:
    """Returns torch's snapshot of this moment, and who keeps the memory in it."""
    kept = keepers.found(torch)  # before there are the many objects of the snapshot
    with _named_by_torch():
        taken: dict[str, Any] = torch.cuda.memory._snapshot()
    if kept is not None:
        taken[keepers.KEY] = kept
    return taken


@contextlib.contextmanager
def _named_by_torch() -> Iterator[None]:
    """Lets PyTorch name C++ frames itself where the program addr2line (of binutils) is missing: by default PyTorch asks it, and
    otherwise waits forever or fails."""
    if _SYMBOLIZE_MODE in os.environ or shutil.which("addr2line") is not None:
        yield
        return
    os.environ[_SYMBOLIZE_MODE] = "fast"
    try:
        yield
    finally:
        os.environ.pop(_SYMBOLIZE_MODE, None)


def _add_refusal(torch: Any, taken: dict[str, Any], refusal: Refusal) -> None:
    """Adds the event that torch writes if it records events at all. Without it the file would describe a moment
    without a failure, also for torch's own viewer: history may be off, or exclude these events (skip_actions)."""
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
    """Returns the stream of this thread, which is the one that made the request; 0 is the default stream."""
    try:
        return int(torch.cuda.current_stream(device).cuda_stream)
    except Exception:
        return 0


def _frames() -> list[dict[str, Any]]:
    """Returns the program's Python frames, innermost first, in torch's form."""
    frames = (frame for frame in keepers_frames.chain(sys._getframe()) if not keepers_frames.is_own(frame))
    return [
        {"name": frame.f_code.co_name, "filename": frame.f_code.co_filename, "line": frame.f_lineno}
        for frame in itertools.islice(frames, _MOST_FRAMES)
    ]


class Steps:
    """When steps began: the last 10,000 of them."""

    def __init__(self) -> None:
        self.times: collections.deque[int] = collections.deque(maxlen=10_000)
        self._count = 0

    def begin(self) -> None:
        self.times.append(time.time_ns() // 1000)
        self._count += 1

    def marks(self, device: int) -> Iterator[dict[str, Any]]:
        """Returns entries of external_annotations. The last step has not ended."""
        times = list(self.times)
        for number, (begin, end) in enumerate(zip(times, [*times[1:], None]), self._count - len(times)):
            yield _mark(number, "START", device, begin)
            if end is not None:
                yield _mark(number, "END", device, end)


def _mark(number: int, stage: str, device: int, time_us: int) -> dict[str, Any]:
    return {"stage": stage, "name": f"memviz_step#{number}", "device": device, "time_us": time_us}

"""For programs that nobody prepared: `memviz run` and MEMVIZ_RECORD=1. Waits for torch, turns bounded history on when
CUDA is first used, and at an out-of-memory error leaves a file and a verdict. Nothing in here may break the program.

MEMVIZ_RECORD_DIR is the folder of the files (memviz-run), MEMVIZ_RECORD_MAX_ENTRIES how many events are kept (100000),
MEMVIZ_RECORD_STACKS `python` for stacks without C++ frames.
"""

from __future__ import annotations

import os
import sys

from . import waiting

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes a while to import, and every Python of a job passes here
    from typing import Any, Callable

_DONE = "_memviz_job"


def install() -> None:
    """Once in a process, whoever asks for it: sitecustomize and the package may both be there."""
    if os.environ.get("MEMVIZ_RECORD", "0") in ("", "0") or hasattr(sys, _DONE):
        return
    setattr(sys, _DONE, True)
    waiting.when_imported("torch", lambda torch: _guarded(_Job, torch))


def _guarded(function: Callable[..., object], *arguments: Any) -> None:
    """What fails is said, and the program goes on."""
    try:
        function(*arguments)
    except Exception as error:
        from . import oom

        oom.say(f"memviz: process {os.getpid()} is not recorded: {type(error).__name__}: {error}")


class _Job:
    def __init__(self, torch: Any) -> None:
        # All that will be needed, while the folder is there; not before torch is.
        from . import files, history, oom, snapshot

        if not hasattr(torch._C, "_cuda_attach_out_of_memory_observer"):
            return  # built without CUDA
        self._torch = torch
        self._explain = oom.write_and_explain
        self._pickled = snapshot.pickled
        self._files = files
        self._folder = os.path.abspath(os.environ.get("MEMVIZ_RECORD_DIR") or "memviz-run")
        self._max_entries = int(os.environ.get("MEMVIZ_RECORD_MAX_ENTRIES") or 100_000)
        self._stacks = os.environ.get("MEMVIZ_RECORD_STACKS") or "all"
        self._allowance = oom.Allowance()
        self._history = history.Yielding(torch)
        oom.watch(torch, self._observe)
        torch.cuda._lazy_call(lambda: _guarded(self._history.start, self._max_entries, self._stacks))

    def _observe(self, device: int) -> None:
        if self._allowance.take():
            _guarded(self._write, device)

    def _write(self, device: int) -> None:
        name = "oom-" + ("" if self._files.rank() is None else "rank{rank}-") + "{pid}-{time}.pickle"
        path = os.path.join(self._folder, self._files.path_of(name))
        self._explain(self._pickled(self._torch, failed_device=device), path)

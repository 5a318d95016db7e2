"""For programs that no one prepared: `memviz run` and MEMVIZ_RECORD=1. Waits for torch, turns bounded history on when
CUDA is first used, and at an out-of-memory error leaves a file and a verdict. Nothing in here may break the program.

MEMVIZ_RECORD_DIR is the folder of the files (memviz-run), MEMVIZ_RECORD_MAX_ENTRIES how many events are kept (100000),
MEMVIZ_RECORD_STACKS `python` for stacks without C++ frames.
"""

from __future__ import annotations

import os
import sys

from . import messages, waiting

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes a while to import, and every Python of a job passes here
    from typing import Any

_DONE = "_memviz_job"


def install() -> None:
    """Once per process, although sitecustomize and the package may both call it."""
    if os.environ.get("MEMVIZ_RECORD", "0") in ("", "0") or hasattr(sys, _DONE):
        return
    setattr(sys, _DONE, True)
    waiting.when_imported("torch", lambda torch: messages.guarded("is not recorded", _Job, torch))


class _Job:
    def __init__(self, torch: Any) -> None:
        # Imports everything that will be needed, while the folder exists; not before torch is imported.
        from . import files, history, oom, ranks, snapshot

        if not hasattr(torch._C, "_cuda_attach_out_of_memory_observer"):
            return  # built without CUDA
        self._torch = torch
        self._watch = oom.watch
        self._files = files
        self._rank = ranks.rank
        self._folder = os.path.abspath(os.environ.get("MEMVIZ_RECORD_DIR") or "memviz-run")
        self._max_entries = int(os.environ.get("MEMVIZ_RECORD_MAX_ENTRIES") or 100_000)
        self._stacks = os.environ.get("MEMVIZ_RECORD_STACKS") or "all"
        self._history = history.Yielding(torch)
        self._reports = oom.Reports(torch, self._place, lambda refusal: snapshot.pickled(torch, refusal=refusal), [])
        # An exception within torch's own queue would end the program, and other kinds of allocators raise one.
        torch.cuda._lazy_call(lambda: messages.guarded("is not recorded", self._begin))

    def _begin(self) -> None:
        self._watch(self._torch, self._reports.add)
        self._history.start(self._max_entries, self._stacks)

    def _place(self) -> str:
        name = "oom-" + ("" if self._rank() is None else "rank{rank}-") + "{pid}-{time}.pickle"
        return os.path.join(self._folder, self._files.path_of(name))

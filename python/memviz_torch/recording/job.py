"""For programs that no one prepared: `memviz run` and MEMVIZ_RECORD=1. Waits for torch, turns bounded history on when
CUDA is first used, and at an out-of-memory error leaves a file and a verdict. Nothing in here may break the program.

MEMVIZ_RECORD_DIR is the folder of the files (memviz-run), MEMVIZ_RECORD_MAX_ENTRIES how many events are kept (100000),
MEMVIZ_RECORD_STACKS `python` for stacks without C++ frames, MEMVIZ_RECORD_CHANNEL `0` for a process that does not answer
`memviz attach`; occasions.py has those of other files.
"""

from __future__ import annotations

import os
import sys

from . import messages, occasions, waiting

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes a while to import, and every Python of a job passes here
    from typing import Any

_DONE = "_memviz_job"


def install() -> None:
    """Once per process, although sitecustomize and the package may both call it."""
    if os.environ.get("MEMVIZ_RECORD", "0") in ("", "0") or hasattr(sys, _DONE):
        return
    setattr(sys, _DONE, True)
    others = occasions.Occasions()
    waiting.when_imported("torch", lambda torch: messages.guarded("is not recorded", _Job, torch, others))


class _Job:
    def __init__(self, torch: Any, others: occasions.Occasions) -> None:
        # Imports everything that will be needed, while the folder exists; not before torch is imported.
        import shlex

        from . import channel, files, history, oom, ranks, requested, snapshot

        if not hasattr(torch._C, "_cuda_attach_out_of_memory_observer"):
            return  # built without CUDA
        self._torch = torch
        self._quoted = shlex.quote
        self._others = others
        self._requested = requested
        self._channel = channel
        self._watch = oom.watch
        self._files = files
        self._rank = ranks.rank
        self._folder = os.path.abspath(os.environ.get("MEMVIZ_RECORD_DIR") or "memviz-run")
        self._max_entries = int(os.environ.get("MEMVIZ_RECORD_MAX_ENTRIES") or 100_000)
        self._stacks = os.environ.get("MEMVIZ_RECORD_STACKS") or "all"
        self._history = history.Yielding(torch)
        self._reports = oom.Reports(torch, lambda: self._place("oom"), lambda refusal: snapshot.pickled(torch, refusal=refusal), [])
        # An exception within torch's own queue would end the program, and other kinds of allocators raise one.
        torch.cuda._lazy_call(lambda: messages.guarded("is not recorded", self._begin))

    def _begin(self) -> None:
        self._watch(self._torch, self._reports.add)
        self._history.start(self._max_entries, self._stacks)
        self._others.begin(self._torch, self._leave)
        self._channel.shared(self._torch).join(self)

    def _place(self, occasion: str) -> str:
        name = occasion + "-" + ("" if self._rank() is None else "rank{rank}-") + "{pid}-{time}.pickle"
        return os.path.join(self._folder, self._files.path_of(name))

    def _leave(self, occasion: str) -> None:
        """Writes a snapshot of this moment, and a line that names it."""
        written, failure = self._files.write_where_possible(self._place(occasion), self._requested.pickled(self._torch))
        failure = f" ({failure})" if failure else ""
        what = f"a snapshot: memviz explain --at end {self._quoted(written)}" if written else "no snapshot"
        messages.say(f"memviz: {messages.this_process()} wrote {what}{failure}")

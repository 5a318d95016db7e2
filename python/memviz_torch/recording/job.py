"""For programs that nobody prepared: `memviz run` and MEMVIZ_RECORD=1. Waits for torch, turns bounded history on when CUDA
is first used, and at an out-of-memory error leaves a file and a verdict. Nothing in here may break the program.

MEMVIZ_RECORD_DIR is the folder of the files (memviz-run), MEMVIZ_RECORD_MAX_ENTRIES how many events are kept (100000),
MEMVIZ_RECORD_STACKS `python` for stacks without C++ frames.
"""

import os
import sys

from . import files, history, oom, waiting
from .snapshot import pickled

_DONE = "_memviz_job"


def install():
    """Once in a process, whoever asks for it: sitecustomize and the package may both be there."""
    if os.environ.get("MEMVIZ_RECORD", "0") in ("", "0") or hasattr(sys, _DONE):
        return
    setattr(sys, _DONE, True)
    waiting.when_imported("torch", lambda torch: _guarded(_Job, torch))


def _guarded(function, *arguments):
    """What fails is said, and the program goes on."""
    try:
        function(*arguments)
    except Exception as error:
        oom.say(f"memviz: process {os.getpid()} is not recorded: {type(error).__name__}: {error}")


class _Job:
    def __init__(self, torch):
        if not hasattr(torch._C, "_cuda_attach_out_of_memory_observer"):
            return  # built without CUDA
        self._torch = torch
        self._folder = os.path.abspath(os.environ.get("MEMVIZ_RECORD_DIR") or "memviz-run")
        self._max_entries = int(os.environ.get("MEMVIZ_RECORD_MAX_ENTRIES") or 100_000)
        self._stacks = os.environ.get("MEMVIZ_RECORD_STACKS") or "all"
        self._allowance = oom.Allowance()
        self._history = history.Yielding(torch)
        oom.watch(torch, self._observe)
        torch.cuda._lazy_call(lambda: _guarded(self._history.start, self._max_entries, self._stacks))

    def _observe(self, device):
        if self._allowance.take():
            _guarded(self._write, device)

    def _write(self, device):
        name = "oom-" + ("" if files.rank() is None else "rank{rank}-") + "{pid}-{time}.pickle"
        oom.write_and_explain(pickled(self._torch, failed_device=device), os.path.join(self._folder, files.path_of(name)))

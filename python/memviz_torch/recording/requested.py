"""Snapshots that are requested while the program runs: a thread of memviz's takes them, one at a time."""

from __future__ import annotations

import threading
from typing import Any

from . import pauses, snapshot

# Exit waits so long for one in progress: CUDA must not be taken apart while its memory is read.
_SECONDS_BEFORE_EXIT = 1.0
_taking = threading.Lock()


def pickled(torch: Any) -> bytes:
    """Returns the bytes of a snapshot of this moment."""
    with _taking:
        return snapshot.pickled(torch, undisturbed=pauses.without_turns())


def wait_at_exit() -> None:
    """Waits for a snapshot in progress, but not long."""
    if _taking.acquire(timeout=_SECONDS_BEFORE_EXIT):
        _taking.release()


def forget() -> None:
    """Must be called in a child after fork(), where the thread that took one is not there."""
    global _taking
    _taking = threading.Lock()

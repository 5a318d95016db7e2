"""Pauses that a snapshot needs in the program, and that end with it: of the garbage collector, and of the turns that other
threads take. They also end in a child that the program forks meanwhile."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import time
from typing import Callable, Iterator

# As long as other threads may have to wait for Python meanwhile, so that what the snapshot shows is of one moment.
_SECONDS_UNDISTURBED = 1.0


class _Pause:
    """One that lasts until the dict below, which alone refers to it, lets go of it."""

    def __init__(self, end: Callable[[], None]) -> None:
        self._end = end

    def __del__(self) -> None:
        self._end()


# A child empties it after a fork. In a process that memviz attached to, this method of an empty dict is all that stays.
_in_progress: dict[object, _Pause] = {}
_is_registered = False


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """Turns the garbage collector off, if it is on."""
    if not gc.isenabled():
        yield
        return
    with _until_the_end(gc.enable):
        gc.disable()
        yield


@contextlib.contextmanager
def without_turns() -> Iterator[None]:
    """Lets other threads wait longer for Python's lock. The interval counts for each wait, also for ours: the body must
    not let go of the lock."""
    before = sys.getswitchinterval()
    with _until_the_end(_Restoring(before)):
        time.sleep(0.001)  # afterwards this thread has the lock, and another one is about to wait for it
        sys.setswitchinterval(_SECONDS_UNDISTURBED)
        yield


class _Restoring:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._get, self._set = sys.getswitchinterval, sys.setswitchinterval

    def __call__(self) -> None:
        if self._get() == _SECONDS_UNDISTURBED:  # else the program has chosen another one
            self._set(self._seconds)


@contextlib.contextmanager
def _until_the_end(end: Callable[[], None]) -> Iterator[None]:
    global _is_registered
    if not _is_registered:
        os.register_at_fork(after_in_child=_in_progress.clear)
        _is_registered = True
    key = object()
    _in_progress[key] = _Pause(end)
    try:
        yield
    finally:
        _in_progress.pop(key, None)

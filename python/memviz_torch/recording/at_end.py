"""Calls a function at the end of a process, also of a child of multiprocessing: before Python 3.13 that ends without
atexit, and later it has forgotten what its parent registered there."""

from __future__ import annotations

import atexit
import os
import sys
from typing import Callable


class AtEnd:
    """Calls it once, in the process that has registered."""

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function
        self._pid = 0  # of the process that has registered

    def register(self) -> None:
        if self._pid == os.getpid():
            return
        self._pid = os.getpid()
        atexit.unregister(self)  # inherited from the parent
        atexit.register(self)
        multiprocessing = sys.modules.get("multiprocessing.util")
        if multiprocessing is not None:
            multiprocessing.Finalize(None, self, exitpriority=0)

    def __call__(self) -> None:
        if self._pid == os.getpid():
            self._pid = 0
            self._function()

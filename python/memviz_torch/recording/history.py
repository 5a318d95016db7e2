"""PyTorch's own recorder, torch.cuda.memory._record_memory_history(): turned on with a bound, and left to the program
where that uses it itself. The arguments here are those that PyTorch 2.1 to 2.15 have."""

from __future__ import annotations

import functools
import threading
from typing import Any


def start(torch: Any, max_entries: int, stacks: str = "all") -> None:
    """With C++ frames ("all"): the backward pass runs without Python, and its gradients would have no name."""
    torch.cuda.memory._record_memory_history(max_entries=max_entries, stacks=stacks)


def stop(torch: Any) -> None:
    torch.cuda.memory._record_memory_history(enabled=None)


def is_on(torch: Any) -> bool:
    """Whether somebody records. Before CUDA is used there is no allocator to ask."""
    return bool(torch.cuda.is_initialized() and torch._C._cuda_isHistoryEnabled())


class Yielding:
    """Bounded history until the program records its own: then it gets the history that it asked for."""

    def __init__(self, torch: Any) -> None:
        self.is_recording = False  # by us
        self.is_of_program = False
        self._memory = torch.cuda.memory
        self._lock = threading.RLock()
        self._record = record = self._memory._record_memory_history

        @functools.wraps(record)
        def record_for_program(*arguments: Any, **named: Any) -> Any:
            with self._lock:
                self.is_of_program = True
                if self.is_recording:
                    self.is_recording = False
                    try:
                        record(enabled=None)
                    except Exception:
                        pass  # what the program asked for comes next, and says what is wrong
            return record(*arguments, **named)

        self._memory._record_memory_history = record_for_program

    def start(self, max_entries: int, stacks: str = "all") -> None:
        with self._lock:
            if not self.is_of_program:
                self._record(max_entries=max_entries, stacks=stacks)
                self.is_recording = True

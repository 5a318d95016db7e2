"""PyTorch's own recorder, torch.cuda.memory._record_memory_history(): turned on with a bound, and left to the
program if that uses it itself. The arguments are those of PyTorch 2.1 to 2.15."""

from __future__ import annotations

import functools
import inspect
import os
import threading
from typing import Any, Callable, Mapping, Optional, Sequence

from . import messages


def start(torch: Any, max_entries: int, stacks: str = "all") -> None:
    """With C++ frames ("all"): the backward pass runs without Python, and its gradients would have no name."""
    _start(torch.cuda.memory._record_memory_history, max_entries, stacks)


def stop(torch: Any) -> None:
    torch.cuda.memory._record_memory_history(enabled=None)


def is_on(torch: Any) -> bool:
    """Whether a recording is active. This queries the allocator, not is_initialized(): in torch's view CUDA is
    initialised only after all waiting callbacks have run, and recorders may be among them."""
    return bool(torch._C._cuda_isHistoryEnabled())


class Shared:
    """The history of all overlapping recordings of a process: it ends with the last of them. It is kept in torch, so
    that several copies of this package share it."""

    def __init__(self) -> None:
        self._users: list[object] = []
        self._settings = (0, "python")  # those of start()
        self._lock = threading.RLock()

    def join(self, torch: Any, user: object, max_entries: int, stacks: str) -> None:
        """Records for ``user`` until it leaves; uses an existing recording unchanged."""
        with self._lock:
            if not is_on(torch):
                self._settings = (max_entries, stacks)
                start(torch, *self._settings)
            elif not self._users:
                return
            else:
                self._grow(torch, max_entries, stacks)
            self._users.append(user)

    def leave(self, torch: Any, user: object) -> None:
        with self._lock:
            if user in self._users:
                self._users.remove(user)
                if not self._users:
                    stop(torch)

    def is_used(self) -> bool:
        """Whether a recording has joined and not left."""
        return bool(self._users)

    def _grow(self, torch: Any, max_entries: int, stacks: str) -> None:
        entries, own_stacks = self._settings
        wanted = (max(entries, max_entries), "all" if "all" in (stacks, own_stacks) else "python")
        if wanted == self._settings:
            return
        if not self._can_grow(torch):
            what = f"keeps {entries} events of each device, with stacks={own_stacks!r}"
            messages.say(f"memviz: process {os.getpid()} {what}, as the recording that began first asked for")
            return
        self._settings = wanted
        start(torch, *wanted)

    def _can_grow(self, torch: Any) -> bool:
        """Whether the events stay, and in order: PyTorch without clear_history drops them, and a ring that has
        wrapped around puts new ones after the wrong old one."""
        traces = torch.cuda.memory._snapshot()["device_traces"]
        keeps = "clear_history" in inspect.signature(torch.cuda.memory._record_memory_history).parameters
        return all(len(trace) < self._settings[0] if keeps else not trace for trace in traces)


def shared(torch: Any) -> Shared:
    found: Shared = torch.__dict__.setdefault("_memviz_history", Shared())
    return found


def _start(record: Callable[..., object], max_entries: int, stacks: str) -> None:
    try:
        record(max_entries=max_entries, stacks=stacks)
    except Exception:
        if stacks == "python":
            raise
        # PyTorch does not support C++ frames on every machine: older ones refuse them except on x86-64.
        record(max_entries=max_entries, stacks="python")


def _enables(arguments: Sequence[Any], named: Mapping[str, Any]) -> bool:
    """Whether these arguments of _record_memory_history() turn it on: None, and False of old, turn it off."""
    return bool(arguments[0] if arguments else named.get("enabled", "all"))


class Yielding:
    """Bounded history, except while the program records itself: then it gets the history that it asked for."""

    def __init__(self, torch: Any) -> None:
        self.was_of_program = False  # at any time
        self._is_of_program = False  # now
        self._settings: Optional[tuple[int, str]] = None  # those of start()
        self._is_recording = False  # by us
        self._lock = threading.RLock()
        self._record = record = torch.cuda.memory._record_memory_history

        @functools.wraps(record)
        def record_for_program(*arguments: Any, **named: Any) -> Any:
            self._yield()
            enables = False
            try:
                # Called without the lock: torch has locks, which may be held by a thread that waits for this one.
                result = record(*arguments, **named)
                enables = _enables(arguments, named)
                return result
            finally:
                if not enables:
                    self._take_back()

        torch.cuda.memory._record_memory_history = record_for_program

    def start(self, max_entries: int, stacks: str = "all") -> None:
        """Must be called once CUDA is initialised."""
        with self._lock:
            self._settings = (max_entries, stacks)
            if not self._is_of_program:
                _start(self._record, max_entries, stacks)
                self._is_recording = True

    def _yield(self) -> None:
        with self._lock:
            self._is_of_program = True
            self.was_of_program = True
            if self._is_recording:
                self._is_recording = False
                try:
                    self._record(enabled=None)
                except Exception:
                    pass  # what the program asked for comes next, and says what is wrong

    def _take_back(self) -> None:
        """The program no longer records, or could not start."""
        with self._lock:
            self._is_of_program = False
            if self._settings:
                try:
                    self.start(*self._settings)
                except Exception:
                    pass  # an out-of-memory error leaves a file without history, then

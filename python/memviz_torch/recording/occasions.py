"""Snapshots of a prepared process without an error: at its end (`memviz run --always`, MEMVIZ_RECORD_ALWAYS), and at a
signal (`memviz run --signal USR1`, MEMVIZ_RECORD_SIGNAL)."""

from __future__ import annotations

import os
import sys
import time

from . import messages

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes a while to import, and every Python of a job passes here
    import threading
    from typing import Any, Callable, Optional

# Signals whose default is to end the program, and that no system sends.
_SIGNALS = ("USR1", "USR2")
# The end of the process waits so long for files that a signal has requested.
_SECONDS_BEFORE_EXIT = 60.0


class Occasions:
    """The occasions of a process. Its signal is handled from the start of Python, because it may arrive at any time."""

    def __init__(self) -> None:
        self._torch: Any = None  # once CUDA is used
        self._leave: Optional[Callable[[str], None]] = None
        self._pid = os.getpid()
        self._unwritten: list[threading.Lock] = []  # one for each signal, held until its file is written
        name = os.environ.get("MEMVIZ_RECORD_SIGNAL", "")
        if name:
            messages.guarded("does not answer the signal", _handle, name, self._answer_signal)

    def begin(self, torch: Any, leave: Callable[[str], None]) -> None:
        """From now on ``leave(occasion)`` writes a file; called when CUDA is first used."""
        from . import at_end

        if self._pid != os.getpid():
            self._unwritten = []  # these are the parent's
        self._torch, self._leave, self._pid = torch, leave, os.getpid()
        at_end.AtEnd(self._end).register()

    def _end(self) -> None:
        self._wait_for_files()
        is_wanted = os.environ.get("MEMVIZ_RECORD_ALWAYS", "0") not in ("", "0")
        if is_wanted and not _is_ended_by_exception() and self._leave is not None:
            messages.guarded("could not write the snapshot", self._leave, "end")

    def _wait_for_files(self) -> None:
        end = time.monotonic() + _SECONDS_BEFORE_EXIT
        for lock in self._unwritten:
            lock.acquire(timeout=max(end - time.monotonic(), 0))

    def _answer_signal(self, number: int, frame: Any) -> None:
        """Starts a thread for the work, because a handler interrupts the program anywhere."""
        import _thread

        unwritten = _thread.allocate_lock()
        unwritten.acquire()
        try:
            _thread.start_new_thread(self._leave_at_signal, (unwritten,))
        except RuntimeError as error:
            messages.say(f"memviz: {messages.this_process()} wrote no snapshot: {messages.reason(error)}")
            return
        self._unwritten = [one for one in self._unwritten if one.locked()] + [unwritten]

    def _leave_at_signal(self, unwritten: threading.Lock) -> None:
        try:
            if self._leave is None or os.getpid() != self._pid:
                messages.say(f"memviz: {messages.this_process()} wrote no snapshot: it has not used CUDA yet")
            else:
                self._leave("signal")
        except Exception as error:
            messages.say(f"memviz: {messages.this_process()} could not write the snapshot: {messages.reason(error)}")
        finally:
            unwritten.release()


def _is_ended_by_exception() -> bool:
    """Whether an exception ends the program. Python has printed it by then; a child of multiprocessing is handling it, but
    from Python 3.13 on has forgotten it."""
    error = sys.exc_info()[1]
    return getattr(sys, "last_value", None) is not None or not (error is None or isinstance(error, SystemExit))


def _handle(name: str, handler: Callable[[int, Any], None]) -> None:
    """A handler of the program stays, whether it comes before or later."""
    import signal

    if name not in _SIGNALS:
        raise ValueError(f"MEMVIZ_RECORD_SIGNAL={name} must be one of {', '.join(_SIGNALS)}")
    number = getattr(signal, "SIG" + name)
    if signal.getsignal(number) is signal.SIG_DFL:
        signal.signal(number, handler)
        signal.siginterrupt(number, False)

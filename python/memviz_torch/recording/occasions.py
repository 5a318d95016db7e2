"""Snapshots of a prepared process without an error: at its end (`memviz run --always`, MEMVIZ_RECORD_ALWAYS), and at a
signal (`memviz run --signal USR1`, MEMVIZ_RECORD_SIGNAL)."""

from __future__ import annotations

import os
import sys

from . import messages

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes a while to import, and every Python of a job passes here
    from typing import Any, Callable, Optional

# Signals whose default is to end the program, and that no system sends.
_SIGNALS = ("USR1", "USR2")


class Occasions:
    """The occasions of a process. Its signal is handled from the start of Python, because it may arrive at any time."""

    def __init__(self) -> None:
        self._torch: Any = None  # once CUDA is used
        self._leave: Optional[Callable[[str], None]] = None
        self._pid = os.getpid()
        name = os.environ.get("MEMVIZ_RECORD_SIGNAL", "")
        if name:
            messages.guarded("does not answer the signal", _handle, name, self._answer_signal)

    def begin(self, torch: Any, leave: Callable[[str], None]) -> None:
        """From now on ``leave(occasion)`` writes a file; called when CUDA is first used."""
        self._torch, self._leave, self._pid = torch, leave, os.getpid()
        if os.environ.get("MEMVIZ_RECORD_ALWAYS", "0") not in ("", "0"):
            import atexit

            atexit.register(self._leave_at_end)

    def _leave_at_end(self) -> None:
        # After an exception that ends the program, which it has printed, the end is not a good one.
        if os.getpid() == self._pid and getattr(sys, "last_value", None) is None and self._leave is not None:
            messages.guarded("could not write the snapshot", self._leave, "end")

    def _answer_signal(self, number: int, frame: Any) -> None:
        """Starts a thread for the work, because a handler interrupts the program anywhere."""
        import _thread

        _thread.start_new_thread(self._leave_at_signal, ())

    def _leave_at_signal(self) -> None:
        try:
            if self._leave is None or os.getpid() != self._pid:
                messages.say(f"memviz: {messages.this_process()} wrote no snapshot: it has not used CUDA yet")
            else:
                self._leave("signal")
        except Exception as error:
            messages.say(f"memviz: {messages.this_process()} could not write the snapshot: {messages.reason(error)}")


def _handle(name: str, handler: Callable[[int, Any], None]) -> None:
    """A handler of the program stays, whether it comes before or later."""
    import signal

    if name not in _SIGNALS:
        raise ValueError(f"MEMVIZ_RECORD_SIGNAL={name} must be one of {', '.join(_SIGNALS)}")
    number = getattr(signal, "SIG" + name)
    if signal.getsignal(number) is signal.SIG_DFL:
        signal.signal(number, handler)
        signal.siginterrupt(number, False)

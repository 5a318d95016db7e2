"""Signals that arrive while the recorder works. Their handlers belong to the program, and so do the exceptions they
raise (Ctrl-C, a time limit): these reach the program, although other failures in the recorder do not."""

from __future__ import annotations

import signal
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes a while to import, and every Python of a job passes here
    from typing import Any, Callable


class Passed:
    """A context that raises at its end what a handler raised meanwhile, even if it was caught in between."""

    def __init__(self) -> None:
        self.raised: list[BaseException] = []
        self._replaced: dict[Any, tuple[Any, Any]] = {}

    def __enter__(self) -> Passed:
        # Handlers run in the main thread only.
        if threading.current_thread() is threading.main_thread():
            try:
                self._replace()
            except BaseException:
                self._restore()
                raise
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._restore()
        raised, self.raised = self.raised, []
        raised = [one for one in raised[:1] if one is not error]
        if raised:
            # A variable of this frame would be part of a cycle with the exception, and keep the program's frames alive.
            raise raised.pop()

    def _replace(self) -> None:
        for number in signal.valid_signals():
            handler = signal.getsignal(number)
            if callable(handler):
                noting = self._noting(handler)
                self._replaced[number] = (noting, handler)
                try:
                    signal.signal(number, noting)
                except ValueError:  # the main thread of an interpreter within another one
                    return

    def _noting(self, handler: Callable[[int, Any], Any]) -> Callable[[int, Any], Any]:
        def noting(number: int, frame: Any) -> Any:
            try:
                return handler(number, frame)
            except BaseException as error:
                self.raised.append(error)
                raise

        return noting

    def _restore(self) -> None:
        try:
            while self._replaced:
                number, (noting, handler) = self._replaced.popitem()
                if signal.getsignal(number) is noting:  # else the handler has another successor
                    signal.signal(number, handler)
        finally:
            if self._replaced:  # a handler raised, between two of them
                self._restore()

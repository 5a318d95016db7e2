"""Counts where the program reads what the made-up GPU never computed: each copy of device memory to the host, by the
innermost line that is neither PyTorch's nor memviz's. A loop that waits for a value reads the same line without end, and
is named on standard error while it runs."""

import ctypes
import os
import sys

_FIRST_WARNING = 10_000  # reads of one line without an optimizer step in between; then ten times as many
_MOST_LINES = 1_000  # that are counted apart
_MOST_LOGGED = 5


def line_of_program(frame, torch):
    """Returns the file and the number of the innermost line, or None where all are PyTorch's or memviz's."""
    hidden = ("<frozen ", "<eval_with_key>", os.path.dirname(torch.__file__), os.path.dirname(__file__))
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(hidden):
            return file, frame.f_lineno
        frame = frame.f_back
    return None


def place_text(place):
    """ "generation/utils.py:395" """
    if place is None:
        return "in a thread of PyTorch's"
    file, line = place
    return f"{'/'.join(file.split(os.sep)[-2:])}:{line}" if "site-packages" in file else f"{os.path.basename(file)}:{line}"


class Reads:
    def __init__(self, torch, log):
        self._torch = torch
        self._log_event = log
        self._counts = {}
        self._since_step = {}
        self._callback = None

    def watch(self):
        watch = getattr(ctypes.CDLL(None), "memviz_rehearsal_watch_reads", None)
        if watch is not None:
            self._callback = ctypes.CFUNCTYPE(None)(self.on_read)
            watch(self._callback)

    def rest(self):
        """Ends the watch: the interpreter may be about to end."""
        if self._callback is not None:
            ctypes.CDLL(None).memviz_rehearsal_watch_reads(None)

    def on_step(self):
        self._since_step.clear()

    def on_read(self):
        try:
            self._count(line_of_program(sys._getframe(1), self._torch))
        except Exception:
            pass  # nothing in here may break the program

    def _count(self, place):
        if place not in self._counts and len(self._counts) >= _MOST_LINES:
            return
        self._counts[place] = self._counts.get(place, 0) + 1
        count = self._since_step[place] = self._since_step.get(place, 0) + 1
        if count < _FIRST_WARNING or str(count).strip("0") != "1":
            return
        print(
            f"memviz: rehearse: read {count:,} times at {place_text(place)}: it may wait for a value that is never "
            "computed. Ctrl-C ends it with an answer.",
            file=sys.stderr,
            flush=True,
        )
        self.log()

    def log(self):
        most = sorted(self._counts.items(), key=lambda item: -item[1])[:_MOST_LOGGED]
        if most:
            self._log_event("reads", lines=[{"line": place_text(place), "count": count} for place, count in most])

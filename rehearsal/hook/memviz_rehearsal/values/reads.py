"""Counts reads of values that the made-up GPU never computed: each copy of device memory to the host, by the
innermost line that is neither PyTorch's nor memviz's. A loop that waits for a value reads the same line without end,
and is named on standard error while it runs. Reads that may decide something are counted separately
(values/decisions.py)."""

import collections
import contextlib
import ctypes
import os
import sys

from memviz_rehearsal import OWN_FOLDER
from memviz_rehearsal.journal import guarded
from memviz_rehearsal.values import decisions

_FIRST_WARNING = 10_000  # reads of one line without an optimizer step in between; then ten times as many
_MOST_LINES = 1_000  # that are counted apart
_MOST_LOGGED = 5


def line_of_program(frame, torch):
    """Returns the file and the number of the innermost line, or None if all are PyTorch's or memviz's."""
    hidden = ("<frozen ", "<eval_with_key>", os.path.dirname(torch.__file__), OWN_FOLDER, contextlib.__file__)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(hidden):
            return file, frame.f_lineno
        frame = frame.f_back
    return None


def place_text(place):
    """ "generation/utils.py:395" """
    if place is None:
        return "a thread of PyTorch's"
    file, line = place
    return f"{'/'.join(file.split(os.sep)[-2:])}:{line}" if "site-packages" in file else f"{os.path.basename(file)}:{line}"


class Reads:
    """Calls `end_waiting(place, count)`, if given, for a line that waits for a value, instead of warning."""

    def __init__(self, torch, log, end_waiting=None):
        self._torch = torch
        self._log_event = log
        self._end_waiting = end_waiting
        self._counts = {}
        self._since_step = {}
        self._decisions = {}  # place: {what is known of the value that is read: count}
        self._decisions_since_step = {}
        self._operators = None
        self._callback = None
        self.is_resting = False  # while memviz reads for itself
        self.knowledge = lambda: "unknown"  # of what this thread reads: or "known", "made up" (all is selected), "guessed"
        self.other_count = 0  # reads of values other than zero, with which a run may differ from one with zeros

    def watch(self, notes_types):
        watch = getattr(ctypes.CDLL(None), "memviz_rehearsal_watch_reads", None)
        if watch is None:
            return
        if notes_types:
            decisions.install(self._torch)
            self._operators = decisions.Operators()
        self._callback = ctypes.CFUNCTYPE(None)(self.on_read)
        watch(self._callback)

    def rest(self):
        """Ends the watch: the interpreter may be about to end."""
        if self._callback is not None:
            ctypes.CDLL(None).memviz_rehearsal_watch_reads(None)

    def on_step(self):
        self._since_step.clear()
        self._decisions_since_step.clear()

    def on_read(self):
        if self.is_resting:
            return
        guarded(self._count_read, sys._getframe().f_back)  # None in a thread of PyTorch's

    def _count_read(self, frame):
        place = line_of_program(frame, self._torch)
        self._count(place)
        if self._operators is not None and self._may_decide(frame):
            self.count_decision(place)

    def _may_decide(self, frame):
        operators = self._operators()
        return decisions.may_decide(operators, decisions.noted(_caller(frame, self._torch))) and not _is_own_read(frame, self._torch)

    def count_caller(self):
        """Counts a decision of the running line that copies nothing."""
        self.count_decision(line_of_program(sys._getframe(1), self._torch))

    def count_decision(self, place):
        if place not in self._decisions and len(self._decisions) >= _MOST_LINES:
            return
        counts = self._decisions.setdefault(place, collections.Counter())
        counts[self.knowledge()] += 1
        count = self._decisions_since_step[place] = self._decisions_since_step.get(place, 0) + 1
        if count >= _FIRST_WARNING and self._end_waiting is not None:
            self._end_waiting(place_text(place), count)

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

    def on_value(self, value):
        """Notes what the program reads, if it is computed."""
        if bool(value.any()):
            self.other_count += 1

    def log(self):
        most = sorted(self._counts.items(), key=lambda item: -item[1])[:_MOST_LOGGED]
        if most:
            self._log_event("reads", lines=[{"line": place_text(place), "count": count} for place, count in most])
        most = sorted(self._decisions.items(), key=lambda item: _importance(item[1]))[:_MOST_LOGGED]
        if most:
            self._log_event("decisions", lines=[_line(place, counts) for place, counts in most])


def _importance(counts):
    return -counts["unknown"], -counts["guessed"], -counts["made up"], -sum(counts.values())


def _line(place, counts):
    return {
        "line": place_text(place),
        "count": sum(counts.values()),
        "unknown": counts["unknown"],
        "made_up": counts["made up"] + counts["guessed"],
        "guessed": counts["guessed"],
    }


def _caller(frame, torch):
    """Returns the frame that calls an operator, outside the frames of memviz and those by which PyTorch calls it, or
    the same operator for a tensor that waits for a collective or is spread over ranks."""
    package = os.path.dirname(torch.__file__)
    own = ("_ops.py", "_compile.py", "_dynamo", "distributed/_functional_collectives.py", "distributed/tensor")
    hidden = (OWN_FOLDER, *(os.path.join(package, name) for name in own))
    while frame is not None and frame.f_code.co_filename.startswith(hidden):
        frame = frame.f_back
    return frame


def _is_own_read(frame, torch):
    """Whether PyTorch reads the values to print them, to advance the random numbers of a tensor that is spread over
    ranks, or to check that the ranks of DDP have equal parameters."""
    package = os.path.dirname(torch.__file__)
    files = [os.path.join(package, name) for name in ("_tensor_str.py", "distributed/tensor/_random.py")]
    while frame is not None:
        if frame.f_code.co_filename in files or frame.f_code.co_name == "_verify_param_shape_across_processes":
            return True
        frame = frame.f_back
    return False


def leave_own_frames_out(snapshot):
    """Removes the frames between an operator and its caller from the stacks of a run with values, so that they equal
    the program's."""
    seen = set()
    segments = snapshot["segments"]
    holders = [*segments, *(block for segment in segments for block in segment["blocks"])]
    for holder in [*holders, *(event for trace in snapshot["device_traces"] for event in trace)]:
        frames = holder.get("frames", [])
        if id(frames) not in seen:
            seen.add(id(frames))
            _cut_own(frames)


def _cut_own(frames):
    """Does this for a stack, innermost first."""
    own = OWN_FOLDER
    if not any(frame["filename"].startswith(own) for frame in frames):
        return
    files = ("/torch/_ops.py", "/torch/_compile.py", "/torch/_dynamo/eval_frame.py", "PythonFallbackKernel.cpp", "PyInterpreter.cpp")
    names = ("pybind11::", "torch::jit::", "torch::handle_torch_function", "c10::Dispatcher::callBoxed")
    frames[:] = [
        frame
        for frame in frames
        if not frame["filename"].startswith(own) and not frame["filename"].endswith(files) and not frame["name"].startswith(names)
    ]

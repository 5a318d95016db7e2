"""What a process answers to `memviz attach`: one line of JSON for the request, one that says that the work has begun,
one for the result, and the bytes of a snapshot. Nothing is written to a file here, and nothing is printed."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import sys
import threading
import time
from typing import Any, Iterator

from . import history, messages, snapshot

FORMAT = 1
_SECONDS_FOR_THE_REQUEST = 5.0
_SECONDS_FOR_A_PIECE = 60.0
_MOST_REQUEST_BYTES = 4096
_MOST_SECONDS = 24 * 3600
_MAX_ENTRIES = 100_000
# As long as other threads may have to wait for Python meanwhile, so that what the snapshot shows is of one moment.
_SECONDS_UNDISTURBED = 1.0
# Exit waits so long for an answer in progress: CUDA must not be taken apart while its memory is read.
_SECONDS_BEFORE_EXIT = 1.0


class Unavailable(Exception):
    """A snapshot cannot be taken now, for the reason that the sentence gives."""


def serve(connection: socket.socket) -> None:
    """Reads a request and answers it. Raises OSError if the other side has gone, ValueError if it is not a request."""
    connection.settimeout(_SECONDS_FOR_THE_REQUEST)
    seconds = _seconds_of(_line(connection))
    connection.settimeout(_SECONDS_FOR_A_PIECE)
    _send_line(connection, {"format": FORMAT, "begun": True})
    try:
        content = _snapshot(connection, seconds)
    except Exception as error:
        reason = str(error) if isinstance(error, Unavailable) else messages.reason(error)
        _send_line(connection, {"format": FORMAT, "error": reason})
        return
    _send_line(connection, {"format": FORMAT, "bytes": len(content)})
    _send(connection, content)


def _line(connection: socket.socket) -> bytes:
    text = b""
    while not text.endswith(b"\n"):
        piece = connection.recv(_MOST_REQUEST_BYTES)  # nothing follows the line
        if not piece or len(text) > _MOST_REQUEST_BYTES:
            raise ValueError("not a request")
        text += piece
    return text


def _seconds_of(line: bytes) -> float:
    """Returns the seconds to record, 0 for a snapshot of this moment."""
    request = json.loads(line)
    if not isinstance(request, dict) or request.get("format") != FORMAT:
        raise ValueError("a request of another version")
    seconds = request.get("record_seconds", 0)
    if type(seconds) not in (int, float) or not 0 <= seconds <= _MOST_SECONDS:
        raise ValueError("record_seconds must be a number of seconds")
    return float(seconds)


def _send_line(connection: socket.socket, facts: dict[str, Any]) -> None:
    _send(connection, json.dumps(facts).encode() + b"\n")


def _send(connection: socket.socket, content: bytes) -> None:
    """The time limit is for each piece: a reader may write to a slow disk."""
    rest = memoryview(content)
    while rest:
        rest = rest[connection.send(rest[: 1 << 20]) :]


def _snapshot(connection: socket.socket, seconds: float) -> bytes:
    torch = sys.modules.get("torch")
    if torch is None:
        raise Unavailable("it has not imported torch, so PyTorch holds no GPU memory in it")
    cuda = getattr(torch, "cuda", None)
    if not hasattr(getattr(torch, "_C", None), "_cuda_memorySnapshot"):
        raise Unavailable("its torch was built without CUDA, or is still being imported")
    if cuda is None or not cuda.is_initialized():
        raise Unavailable("it has not used CUDA yet, so it holds no GPU memory; attach again later")
    with _recording(torch, seconds > 0):
        if seconds > 0 and _ends_within(connection, seconds):
            raise Unavailable("the request was withdrawn")
        return pickled(torch)


def _ends_within(connection: socket.socket, seconds: float) -> bool:
    """Waits. The other side sends nothing more: what can be read is its end."""
    waiting = select.poll()
    waiting.register(connection, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))


@contextlib.contextmanager
def _recording(torch: Any, is_wanted: bool) -> Iterator[None]:
    """Turns history on if it is off, and off again; a history that somebody else uses stays as it is."""
    if not is_wanted:
        yield
        return
    was_shared = "_memviz_history" in torch.__dict__
    user = object()
    shared = history.shared(torch)
    shared.join(torch, user, _MAX_ENTRIES, "all")
    try:
        yield
    finally:
        shared.leave(torch, user)
        if not was_shared and not shared.is_used():
            torch.__dict__.pop("_memviz_history", None)


_answering = threading.Lock()


def wait_at_exit() -> None:
    """Waits for an answer in progress, but not long."""
    if _answering.acquire(timeout=_SECONDS_BEFORE_EXIT):
        _answering.release()


def forget() -> None:
    """In a child after fork(): the thread that answered is not there."""
    global _answering
    _answering = threading.Lock()


def pickled(torch: Any) -> bytes:
    """Returns the bytes of a snapshot of this moment, taken by a thread that is not the program's."""
    with _answering:
        return snapshot.pickled(torch, undisturbed=_undisturbed())


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Lets other threads wait longer for Python's lock. The interval counts for each wait, also for ours: the body must
    not let go of the lock."""
    before, set_interval = sys.getswitchinterval(), sys.setswitchinterval
    time.sleep(0.001)  # afterwards this thread has the lock, and another one is about to wait for it
    set_interval(_SECONDS_UNDISTURBED)
    try:
        yield
    finally:
        if sys.getswitchinterval() == _SECONDS_UNDISTURBED:  # else the program has chosen another one
            set_interval(before)

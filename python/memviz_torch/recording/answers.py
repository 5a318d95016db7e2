"""Answers a request of `memviz attach`, which is one line of JSON: with a line that says that the work has begun, one for
the result, and the bytes of a snapshot. Writes no file and prints nothing."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import sys
from typing import Any, Iterator

from . import history, messages, requested

_FORMAT = 1
_SECONDS_FOR_THE_REQUEST = 5.0
_SECONDS_FOR_A_PIECE = 60.0
_MOST_REQUEST_BYTES = 4096
_MOST_SECONDS = 24 * 3600
_MAX_ENTRIES = 100_000


class _Unavailable(Exception):
    """A snapshot cannot be taken now, for the reason that the sentence gives."""


def serve(connection: socket.socket) -> None:
    """Reads a request and answers it. Raises OSError if the other side has gone, ValueError if it is not a request."""
    connection.settimeout(_SECONDS_FOR_THE_REQUEST)
    seconds = _seconds_of(_line(connection))
    connection.settimeout(_SECONDS_FOR_A_PIECE)
    _send_line(connection, {"format": _FORMAT, "begun": True})
    try:
        content = _snapshot(connection, seconds)
    except Exception as error:
        reason = str(error) if isinstance(error, _Unavailable) else messages.reason(error)
        _send_line(connection, {"format": _FORMAT, "error": reason})
        return
    _send_line(connection, {"format": _FORMAT, "bytes": len(content)})
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
    if not isinstance(request, dict) or request.get("format") != _FORMAT:
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
        raise _Unavailable("it has not imported torch, so PyTorch holds no GPU memory in it")
    cuda = getattr(torch, "cuda", None)
    if not hasattr(getattr(torch, "_C", None), "_cuda_memorySnapshot"):
        raise _Unavailable("its torch was built without CUDA, or is still being imported")
    if cuda is None or not cuda.is_initialized():
        raise _Unavailable("it has not used CUDA yet, so it holds no GPU memory; attach again later")
    with _recording(torch, seconds > 0):
        if seconds > 0 and _ends_within(connection, seconds):
            raise _Unavailable("the request was withdrawn")
        return requested.pickled(torch)


def _ends_within(connection: socket.socket, seconds: float) -> bool:
    """Waits. The other side sends nothing more: what can be read is its end."""
    waiting = select.poll()
    waiting.register(connection, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))


@contextlib.contextmanager
def _recording(torch: Any, is_wanted: bool) -> Iterator[None]:
    """Turns history on if it is off, and off again; a history that others use stays as it is."""
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

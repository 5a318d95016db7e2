"""Runs in a process that memviz did not record, in a thread that `memviz attach` has started there. The program finds
nothing of it: no module stays, and no function of another module is replaced."""

from __future__ import annotations

import atexit
import socket

from . import answers, requested


def answer(path: str) -> None:
    """Connects to the socket of the memviz that attaches, and answers its request."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(10)
        connection.connect(path)
        atexit.register(requested.wait_at_exit)
        try:
            answers.serve(connection)
        finally:
            atexit.unregister(requested.wait_at_exit)

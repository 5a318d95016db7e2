"""The recorder's messages on standard error, and how it keeps its own failures from the program. Imports almost
nothing, because every Python of a job runs this file."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


def say(text: str) -> None:
    """Writes in one piece, because ranks share a log. Never raises."""
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except Exception:
        pass


def this_process() -> str:
    """As "process 4711", or "rank 3 (process 4711)" in a distributed job."""
    from .ranks import rank as rank_of_job

    rank = rank_of_job()
    return f"process {os.getpid()}" if rank is None else f"rank {rank} (process {os.getpid()})"


def reason(error: BaseException) -> str:
    """Returns the type and the first line, because torch's errors continue with a C++ stack."""
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def guarded(what: str, function: Callable[..., object], *arguments: Any) -> None:
    """Calls it. If that fails, prints one line with ``what`` and the reason, and the program continues; raises what
    a signal handler raised meanwhile."""
    from .interrupts import Passed

    with Passed() as passed:
        try:
            function(*arguments)
        except Exception as error:
            if error not in passed.raised:
                say(f"memviz: process {os.getpid()} {what}: {reason(error)}")


def size(count: int) -> str:
    """Returns bytes in memviz's format: "311 MiB", "2.00 GiB"."""
    if count < 1024:
        return f"{count} B"
    value, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1023.5:
            break
        value, unit = value / 1024, larger
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:,.{digits}f} {unit}"

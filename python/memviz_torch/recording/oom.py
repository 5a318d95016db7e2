"""What happens at an out-of-memory error: one file, and a verdict on standard error; then the error goes on."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Optional, Union

from . import files

_SECONDS_FOR_VERDICT = 120


def watch(torch: Any, tell: Callable[[int], object]) -> None:
    """Calls ``tell(device)`` at each out-of-memory error of the allocator, before it becomes an exception; from now on,
    or from when CUDA is first used. Of several only the last one that watches is told."""
    watchers = torch.__dict__.get("_memviz_oom_watchers")
    if watchers is None:  # an observer cannot be taken away again, so there is one for all
        watchers = torch._memviz_oom_watchers = []

        def observe(device: int, asked_bytes: int, device_bytes: int, free_bytes: int) -> None:
            if watchers:
                watchers[-1](device)

        torch.cuda._lazy_call(lambda: torch._C._cuda_attach_out_of_memory_observer(observe))
    watchers.append(tell)


def unwatch(torch: Any, tell: Callable[[int], object]) -> None:
    if tell in torch.__dict__.get("_memviz_oom_watchers", ()):
        torch._memviz_oom_watchers.remove(tell)


class Allowance:
    """Programs catch these errors and try again: three files at once, then one an hour."""

    def __init__(self) -> None:
        self._left = 3
        self._last = 0.0

    def take(self) -> bool:
        now = time.monotonic()
        if self._left == 0 and now - self._last < 3600:
            return False
        self._left = max(self._left - 1, 0)
        self._last = now
        return True


def write_and_explain(snapshot: bytes, path: str) -> Optional[str]:
    """Writes the bytes of a snapshot, elsewhere where that folder takes none, and prints what they say. Returns the
    path; None where nothing could be written."""
    written, failure = _written(snapshot, path)
    lines = [f"memviz: {_process()} ran out of GPU memory."]
    try:
        lines += ["  " + line for line in verdict(written if written else snapshot).splitlines()]
    except Exception as error:
        lines.append(f"  Why cannot be told here: {error}")
    if failure:
        lines.append(f"  {failure}.")
    if written:
        lines.append(f"  All of it: memviz explain {shlex.quote(written)}")
    say("\n".join(lines))
    return written


def _process() -> str:
    rank = files.rank()
    return f"process {os.getpid()}" if rank is None else f"rank {rank} (process {os.getpid()})"


def _written(snapshot: bytes, path: str) -> tuple[Optional[str], str]:
    """The path, and what was wrong, if anything."""
    failures: list[str] = []
    for folder in (os.path.dirname(path), tempfile.gettempdir()):
        place = os.path.join(folder, os.path.basename(path))
        try:
            written = files.write_new(place, lambda file: file.write(snapshot))
            return written, " and ".join(failures)
        except OSError as error:
            failures.append(f"no file can be written to {folder or os.curdir} ({error.strerror or error})")
    return None, " and ".join(failures)


def verdict(snapshot: Union[str, bytes]) -> str:
    """What `memviz explain --brief` says of a file, or of the bytes of one."""
    words = [_program(), "explain", "--brief", "--quiet", "--", snapshot if isinstance(snapshot, str) else "-"]
    # The program needs nothing that was loaded into this one.
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "PYTHONPATH")}
    done = subprocess.run(
        words,
        input=None if isinstance(snapshot, str) else snapshot,
        stdin=subprocess.DEVNULL if isinstance(snapshot, str) else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        timeout=_SECONDS_FOR_VERDICT,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode("utf-8", "replace").strip() or f"memviz ended with {done.returncode}")
    return done.stdout.decode("utf-8", "replace").strip()


def _program() -> str:
    try:
        from .._program import program
    except ImportError:  # brought along by the program itself
        return os.environ["MEMVIZ_PROGRAM"]
    return program()


def say(text: str) -> None:
    """In one piece, because ranks share a log. Never raises."""
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except Exception:
        pass

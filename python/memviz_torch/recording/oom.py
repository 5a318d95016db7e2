"""At an out-of-memory error: writes one file, and a verdict to standard error; then the error continues."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from typing import Any, Callable, NamedTuple, Optional, Union

from . import files, messages

_SECONDS_FOR_VERDICT = 120


class Refusal(NamedTuple):
    """A request that the allocator could not fulfil."""

    device: int
    requested_bytes: int
    free_bytes: int
    time_us: int


def watch(torch: Any, notify: Callable[[Refusal], object]) -> None:
    """Makes the allocator call ``notify`` at each out-of-memory error, before it becomes an exception; must be
    called once CUDA is initialised. Only the last of several watchers is called. Raises if the allocator reports no
    errors, as cudaMallocAsync and custom allocators do."""
    watchers = torch.__dict__.get("_memviz_oom_watchers")
    if watchers is None:  # an observer cannot be taken away again, so there is one for all
        watchers = []

        def observe(device: int, requested_bytes: int, device_bytes: int, free_bytes: int) -> None:
            if watchers:
                watchers[-1](Refusal(device, requested_bytes, free_bytes, time.time_ns() // 1000))

        torch._C._cuda_attach_out_of_memory_observer(observe)
        torch._memviz_oom_watchers = watchers
    if notify not in watchers:
        watchers.append(notify)


def unwatch(torch: Any, notify: Callable[[Refusal], object]) -> None:
    if notify in torch.__dict__.get("_memviz_oom_watchers", ()):
        torch._memviz_oom_watchers.remove(notify)


class Allowance:
    """A limit on files. Programs may catch these errors and try again, for example to find a batch size: three files
    at once, then one in ten minutes. An error unlike all before, whose request or whose live memory has another
    power of two, always gets a file, because it may be the one that ends the program."""

    _SECONDS = 600
    _MOST_KINDS = 16

    def __init__(self) -> None:
        self._left = 3
        self._last = 0.0
        self._kinds: set[tuple[int, int]] = set()

    def take(self, requested_bytes: int, live_bytes: int) -> bool:
        now = time.monotonic()
        kind = (requested_bytes.bit_length(), live_bytes.bit_length())
        is_new = kind not in self._kinds and len(self._kinds) < self._MOST_KINDS
        if not is_new and self._left == 0 and now - self._last < self._SECONDS:
            return False
        self._kinds.add(kind)
        self._left = max(self._left - 1, 0)
        self._last = now
        return True


class Reports:
    """The out-of-memory errors of a recording: a file and a verdict for each that the limit allows, a line for the
    others."""

    def __init__(
        self, torch: Any, place: Callable[[], str], pickled: Callable[[Refusal], bytes], written: list[str]
    ) -> None:
        self._torch = torch
        self._place = place
        self._pickled = pickled
        self._written = written  # gets the paths of the files
        self.latest: Optional[str] = None
        self._allowance = Allowance()
        self._last_line = 0.0

    def add(self, refusal: Refusal) -> None:
        messages.guarded("wrote nothing at an out-of-memory error", self._add, refusal)

    def _add(self, refusal: Refusal) -> None:
        if not self._allowance.take(refusal.requested_bytes, self._live_bytes(refusal.device)):
            self._say_again(refusal)
            return
        path = write_and_explain(self._pickled(refusal), self._place())
        if path is not None:
            self._written.append(path)
            self.latest = path

    def _live_bytes(self, device: int) -> int:
        try:
            return int(self._torch.cuda.memory_allocated(device))
        except Exception:
            return 0

    def _say_again(self, refusal: Refusal) -> None:
        """The last word, if this error ends the program; not a flood, if the program catches thousands."""
        now = time.monotonic()
        if now - self._last_line < 1:
            return
        self._last_line = now
        latest = f"; the latest file: {shlex.quote(self.latest)}" if self.latest else ""
        messages.say(
            f"memviz: {messages.this_process()} ran out of GPU memory again: GPU {refusal.device}, "
            f"{messages.size(refusal.requested_bytes)} asked for, {messages.size(refusal.free_bytes)} free{latest}"
        )


def write_and_explain(snapshot: bytes, path: str) -> Optional[str]:
    """Writes the bytes of a snapshot, elsewhere if the folder accepts none, and prints the verdict. Returns the
    path; None if nothing could be written."""
    written, failure = files.write_where_possible(path, snapshot)
    lines = [f"memviz: {messages.this_process()} ran out of GPU memory."]
    try:
        lines += ["  " + line for line in verdict(written if written else snapshot).splitlines()]
    except Exception as error:
        lines.append(f"  The cause is unknown: {error}")
    if failure:
        lines.append(f"  {failure}.")
    if written:
        lines.append(f"  The full answer: memviz explain {shlex.quote(written)}")
        lines += _part_lines(written)
    lines.append("  The error continues to the program, which may catch it.")
    messages.say("\n".join(lines))
    return written


def verdict(snapshot: Union[str, bytes]) -> str:
    """Returns the output of `memviz explain --brief` for a file, or for the bytes of one."""
    words = [_program(), "explain", "--brief", "--quiet"]
    if isinstance(snapshot, bytes):
        return _said([*words, "--", "-"], snapshot)
    # The executed files exist here, and it is known which ones changed since.
    return _said([*words, "--source", os.sep, "--", snapshot], None)


def _part_lines(path: str) -> list[str]:
    """Writes what `memviz ranks` needs of a snapshot into the folder MEMVIZ_RECORD_PARTIAL; returns what is said of it."""
    folder = os.environ.get("MEMVIZ_RECORD_PARTIAL")
    if not folder:
        return []
    part = os.path.join(folder, f"{os.uname().nodename}-{os.path.basename(path)}.ndjson")
    try:
        os.makedirs(folder, exist_ok=True)
        _said([_program(), "ranks", "--quiet", "--partial", part, "--", path], None)
    except Exception as error:
        return [f"  No part of it for memviz ranks: {error}"]
    return [f"  For all ranks: memviz ranks {shlex.quote(folder)}"]


def _said(words: list[str], standard_input: Optional[bytes]) -> str:
    """Returns memviz's output for these words. Raises if it fails."""
    # The program does not need what was preloaded into this one.
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "PYTHONPATH")}
    done = subprocess.run(
        words,
        input=standard_input,
        stdin=subprocess.DEVNULL if standard_input is None else None,
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

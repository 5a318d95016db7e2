"""``record()``: PyTorch's own recorder for the duration of a block, with a bound, and files that are never replaced."""

from __future__ import annotations

import importlib
import os
import shlex
import warnings
from typing import Any, Optional, Union

from . import channel, files, history, interrupts, messages, oom, tensors
from .snapshot import Steps, pickled


def record(
    path: Union[str, os.PathLike[str]] = files.DEFAULT_NAME,
    *,
    max_entries: int = 100_000,
    on_oom: bool = True,
    on_exit: bool = True,
    names: Any = None,
    optimizer: Any = None,
    stacks: str = "all",
) -> Recorder:
    """Records the CUDA allocator's history while the block runs:

    >>> with memviz_torch.record("run-{rank}-{time}.pickle", names=model, optimizer=optimizer) as recording:
    ...     for batch in batches:
    ...         train(batch)
    ...         recording.step()

    A file is written when the block ends (``on_exit``), and at an out-of-memory error (``on_oom``), with ``-oom`` in
    its name and a verdict on standard error; the error goes on as before. In ``path``, ``{rank}``, ``{time}``,
    ``{pid}`` and ``{host}`` stand for those of the process; in a folder the file has the default name. An existing
    file is never replaced. start() raises OSError if no file can be written there; if that shows only at the end, the
    file goes to the temporary folder, and a line on standard error says so.

    The last ``max_entries`` events of each device are kept. ``names`` is a module, or several, whose parameters,
    buffers and gradients the files name; ``optimizer`` one, or several, whose state they name as well.
    ``stacks="python"`` leaves C++ frames out, and with them what distinguishes gradients from other memory of the backward
    pass.

    Recordings may overlap. If a recording is active already, it is used unchanged and stays active. Without CUDA, and
    with an allocator that keeps no history, the block runs, and nothing is recorded.
    """
    return Recorder(path, max_entries, on_oom, on_exit, names, optimizer, stacks)


class Recorder:
    """What ``record()`` returns: a recording, while its block runs. ``files`` are the paths of what it wrote."""

    def __init__(
        self,
        path: Union[str, os.PathLike[str]],
        max_entries: int,
        on_oom: bool,
        on_exit: bool,
        names: Any,
        optimizer: Any,
        stacks: str,
    ) -> None:
        self._path = os.fspath(path)
        files.check_template(self._path)
        if not isinstance(max_entries, int) or max_entries < 1:
            raise ValueError(f"max_entries={max_entries!r} must be a number of events, 1 or more")
        if stacks not in ("all", "python"):
            raise ValueError(f"stacks={stacks!r} must be 'all' or 'python'")
        tensors.check_models(names)
        self.files: list[str] = []
        self._max_entries = max_entries
        self._stacks = stacks
        self._on_oom = on_oom
        self._on_exit = on_exit
        self._names = names
        self._optimizer = optimizer
        self._torch: Any = None  # while it records
        self._steps = Steps()
        self._reports: Any = None
        self._was_used = False
        self._was_started = False  # even where nothing can be recorded
        self._is_recording = False  # whoever turned history on

    def __enter__(self) -> Recorder:
        return self.start()

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        self.stop(error)

    def start(self) -> Recorder:
        """Starts without a ``with`` block; returns this recording."""
        torch = importlib.import_module("torch")
        if self._was_used:
            raise RuntimeError("a recording begins once; record() makes another")
        self._was_started = True
        # Not torch.cuda.is_available(), which initialises CUDA, so that a forked child could no longer use it.
        if not hasattr(torch._C, "_cuda_attach_out_of_memory_observer"):
            warnings.warn("nothing is recorded: this torch was built without CUDA", stacklevel=3)
            return self
        if self._on_oom or self._on_exit:
            files.check_place(self._path)
        self._was_used = True
        self._torch = torch
        self._reports = oom.Reports(torch, self._place_of_oom, self._pickled, self.files)
        self._steps.begin()
        # torch keeps callbacks that wait for CUDA forever, so its reference to this recording must be removable.
        waiting = [self]
        self._forget = waiting.clear

        def begin() -> None:
            while waiting:
                messages.guarded("is not recorded", waiting.pop()._begin)

        torch.cuda._lazy_call(begin)
        return self

    def _begin(self) -> None:
        """Starts once CUDA is initialised, because until then there is nothing to record."""
        if self._on_oom:
            oom.watch(self._torch, self._reports.add)
        history.shared(self._torch).join(self._torch, self, self._max_entries, self._stacks)
        self._is_recording = True
        channel.shared(self._torch).join(self)

    def stop(self, error: Optional[BaseException] = None) -> None:
        """Ends; ``error`` is the exception that ends the program, if any."""
        if self._torch is None:
            return
        try:
            if self._on_exit and not (self._reports.latest and self._is_out_of_memory(error)):
                self._dump_at_end(error)
        finally:
            torch, self._torch = self._torch, None
            self._forget()
            self._names = self._optimizer = None  # who keeps this object for its files keeps no model with it
            oom.unwatch(torch, self._reports.add)
            channel.shared(torch).leave(self)
            messages.guarded("goes on recording", history.shared(torch).leave, torch, self)

    def _is_out_of_memory(self, error: Optional[BaseException]) -> bool:
        """Or came of one."""
        for _ in range(100):
            if error is None or isinstance(error, self._torch.cuda.OutOfMemoryError):
                return error is not None
            error = error.__cause__ or error.__context__
        return False

    def _dump_at_end(self, error: Optional[BaseException]) -> None:
        if self._can_dump():
            messages.guarded("could not write the snapshot", self._write_at_end)
        elif error is None and not self._torch.cuda.is_initialized():
            warnings.warn("nothing is recorded: CUDA was not used", stacklevel=4)

    def _write_at_end(self) -> None:
        """Raises nothing if no file can be written: the training is done, and its checkpoint may not be written yet."""
        written, failure = files.write_where_possible(files.path_of(self._path), self._pickled(None))
        if written:
            self.files.append(written)
        if failure:
            where = f"the snapshot is {shlex.quote(written)}" if written else "the snapshot is lost"
            messages.say(f"memviz: {messages.this_process()}: {failure}; {where}")

    def _can_dump(self) -> bool:
        return bool(self._torch is not None and self._is_recording and self._torch.cuda.is_initialized())

    def step(self) -> None:
        """Marks the end of a step, like ``torch.profiler.profile.step()``; `memviz leaks` compares steps."""
        if self._torch is not None:
            self._steps.begin()
        elif not self._was_started:
            raise RuntimeError("step() needs a running recording: call start() first, or use with")

    def dump(self, path: Union[None, str, os.PathLike[str]] = None) -> Optional[str]:
        """Writes a snapshot of this moment; the fields of ``path`` are those of ``record()``. Returns its path, or
        None if nothing is recorded, because CUDA is not available or was not used yet; raises OSError."""
        if path is not None:
            files.check_template(os.fspath(path))
        if not self._can_dump():
            return None
        with interrupts.Passed():
            snapshot = self._pickled(None)
        place = files.path_of(self._path if path is None else os.fspath(path))
        written = files.write_new(place, lambda file: file.write(snapshot))
        self.files.append(written)
        return written

    def _pickled(self, refusal: Optional[oom.Refusal]) -> bytes:
        declared, failures = tensors.declared(self._names, self._optimizer)
        if failures:  # of a kind that is not known: the file is more than the names
            more = f", and {len(failures) - 1} more" if len(failures) > 1 else ""
            messages.say(f"memviz: the snapshot does not name every tensor: {failures[0]}{more}")
        return pickled(self._torch, declared, self._steps, refusal)

    def _place_of_oom(self) -> str:
        stem, ending = os.path.splitext(files.path_of(self._path))
        return f"{stem}-oom{ending}"

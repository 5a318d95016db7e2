"""``record()``: PyTorch's own recorder for the length of a block, with a bound, and files that nothing replaces."""

from __future__ import annotations

import importlib
import os
import warnings
from typing import Any, Optional, Union

from . import files, history, oom, tensors
from .snapshot import Steps, pickled


def record(
    path: Union[str, os.PathLike[str]] = "memviz-{rank}-{time}.pickle",
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
    ``{pid}`` and ``{host}`` stand for those of the process; a file that is there is never replaced.

    The last ``max_entries`` events of each device are kept. ``names`` is a module, or several, whose parameters,
    buffers and gradients the files name; ``optimizer`` one, or several, whose state they name, too.
    ``stacks="python"`` leaves C++ frames out, and with them what tells gradients from other memory of the backward
    pass.

    Where somebody records already, that recording is used as it is, and goes on afterwards. Without CUDA the block
    runs, and nothing is recorded.
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
        self.files: list[str] = []
        self._max_entries = max_entries
        self._stacks = stacks
        self._on_oom = on_oom
        self._on_exit = on_exit
        self._names = names
        self._optimizer = optimizer
        self._torch: Any = None  # while it records
        self._steps = Steps()
        self._allowance = oom.Allowance()
        self._has_started = False
        self._has_oom_file = False

    def __enter__(self) -> Recorder:
        return self.start()

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        self.stop(error)

    def start(self) -> Recorder:
        """Begins, where a ``with`` has no place; returns this recording."""
        torch = importlib.import_module("torch")
        if self._torch is not None:
            raise RuntimeError("this recording has begun already")
        if not torch.cuda.is_available():
            warnings.warn("nothing is recorded: torch finds no CUDA device here", stacklevel=3)
            return self
        self._torch = torch
        self._steps.begin()
        torch.cuda._lazy_call(self._begin)
        if self._on_oom:
            oom.watch(torch, self._observe)
        return self

    def _begin(self) -> None:
        """Once CUDA is there: until then there is nothing to record."""
        if self._torch is None or history.is_on(self._torch):
            return
        history.start(self._torch, self._max_entries, self._stacks)
        self._has_started = True

    def stop(self, error: Optional[BaseException] = None) -> None:
        """Ends; ``error`` is the exception that the program ends with, if it does."""
        if self._torch is None:
            return
        try:
            if self._on_exit and not (error is not None and self._has_oom_file):
                self._dump_at_end(error)
        finally:
            torch, self._torch = self._torch, None
            oom.unwatch(torch, self._observe)
            if self._has_started:
                history.stop(torch)
                self._has_started = False

    def _dump_at_end(self, error: Optional[BaseException]) -> None:
        try:
            self.dump()
        except Exception as failure:
            if error is None:
                raise
            # The program's own error is the one to see.
            oom.say(f"memviz: the snapshot could not be written: {failure}")

    def step(self) -> None:
        """Marks the end of a step, as ``torch.profiler.profile.step()`` does; `memviz leaks` compares steps."""
        if self._torch is not None:
            self._steps.begin()

    def dump(self, path: Union[None, str, os.PathLike[str]] = None) -> Optional[str]:
        """Writes a snapshot of this moment; the fields of ``path`` are those of ``record()``. Returns where it is, or
        None where nothing is recorded, because CUDA is not there or was not used yet."""
        if path is not None:
            files.check_template(os.fspath(path))
        if self._torch is None or not self._torch.cuda.is_initialized():
            return None
        snapshot = self._pickled(None)
        place = files.path_of(self._path if path is None else os.fspath(path))
        written = files.write_new(place, lambda file: file.write(snapshot))
        self.files.append(written)
        return written

    def _pickled(self, failed_device: Optional[int]) -> bytes:
        try:
            declared = tensors.declared(self._names, self._optimizer)
        except Exception as error:  # a module of a kind that is not known: the file is more than the names
            declared = []
            oom.say(f"memviz: the snapshot has no names of tensors: {type(error).__name__}: {error}")
        return pickled(self._torch, declared, self._steps, failed_device)

    def _observe(self, device: int) -> None:
        try:
            if not self._allowance.take():
                return
            stem, ending = os.path.splitext(files.path_of(self._path))
            written = oom.write_and_explain(self._pickled(device), f"{stem}-oom{ending}")
        except Exception as error:
            oom.say(f"memviz: nothing was written at the out-of-memory error: {type(error).__name__}: {error}")
            return
        if written is not None:
            self.files.append(written)
            self._has_oom_file = True

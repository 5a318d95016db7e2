"""``%load_ext memviz_torch``: the cell magic ``%%memviz``, which records a cell and shows who held the memory."""

from __future__ import annotations

import os
import tempfile
from importlib import import_module
from typing import Any, Callable

_PICTURES = ("flame", "timeline", "state", "explain")


def magic(shell: Any) -> "Callable[[str, str], None]":
    """Returns the function behind ``%%memviz`` for an IPython shell."""

    def memviz(line: str, cell: str) -> None:
        """%%memviz [flame|timeline|state|explain] [FILE.pickle]

        Records PyTorch's CUDA memory while the cell runs, and shows a picture: the flame graph of the peak (default),
        the timeline, the segments of the end, or why memory ran out. The recording stays in FILE.pickle if one is named.
        """
        words = line.split()
        picture = words.pop(0) if words and words[0] in _PICTURES else "flame"
        if len(words) > 1:
            raise ValueError(f"%%memviz takes one of {', '.join(_PICTURES)}, and the name of a file, not {line!r}")
        _show(shell, cell, picture, words[0] if words else None)

    return memviz


def _show(shell: Any, cell: str, picture: str, path: "str | None") -> None:
    import memviz_torch

    with tempfile.TemporaryDirectory(prefix="memviz-") as folder:
        with memviz_torch.record(path or os.path.join(folder, "cell.pickle"), on_oom=False) as recording:
            shell.run_cell(cell)  # shows its own error
        if recording.files:
            options = {"at": "auto"} if picture == "flame" else {}
            import_module("IPython.display").display(getattr(memviz_torch, picture)(recording.files[-1], **options))

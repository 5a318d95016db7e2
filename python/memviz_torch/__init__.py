"""Who holds the GPU memory: pictures and figures from PyTorch's memory snapshots.

>>> import memviz_torch
>>> memviz_torch.flame("mem.pickle")                       # in a notebook: the picture
>>> memviz_torch.explain("oom.pickle").verdict
'fragmentation'
>>> memviz_torch.flame(torch.cuda.memory._snapshot(), at="peak").save("mem.svg")
>>> memviz_torch.rehearse("python train.py", world=512, ranks=[0, 511], gpu="h100").fits
True

A snapshot is the path of a file, the bytes of one, or what ``torch.cuda.memory._snapshot()`` returns. The work is done
by the program ``memviz``, which comes with this package; nothing in a snapshot is executed, and torch is not imported.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memviz_torch._api import compare, explain, flame, keepers, leaks, state, stats, timeline, view
    from memviz_torch._program import Error, ProgramNotFound, Snapshot, SnapshotWarning, UsageError, program
    from memviz_torch._rehearse import Rehearsal, RehearsalRow, RehearsalRun, RehearsedServer, rehearse
    from memviz_torch._results import Comparison, Explanation, Leaks, Page, Picture
    from memviz_torch._tables import Table, table
    from memviz_torch.recording.recorder import Recorder, record

    __version__: str

__all__ = [
    "Comparison",
    "Error",
    "Explanation",
    "Leaks",
    "Page",
    "Picture",
    "ProgramNotFound",
    "Recorder",
    "Rehearsal",
    "RehearsalRow",
    "RehearsalRun",
    "RehearsedServer",
    "Snapshot",
    "SnapshotWarning",
    "Table",
    "UsageError",
    "__version__",
    "compare",
    "explain",
    "flame",
    "keepers",
    "leaks",
    "program",
    "record",
    "rehearse",
    "state",
    "stats",
    "table",
    "timeline",
    "view",
]

# Nothing is imported before it is used, because with MEMVIZ_RECORD=1 every Python of an environment runs this file.
_HOMES = {
    "_api": ("compare", "explain", "flame", "keepers", "leaks", "state", "stats", "timeline", "view"),
    "_program": ("Error", "ProgramNotFound", "Snapshot", "SnapshotWarning", "UsageError", "program"),
    "_rehearse": ("Rehearsal", "RehearsalRow", "RehearsalRun", "RehearsedServer", "rehearse"),
    "_results": ("Comparison", "Explanation", "Leaks", "Page", "Picture"),
    "_tables": ("Table", "table"),
    "recording.recorder": ("Recorder", "record"),
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from memviz_torch._program import version

        return version()
    for home, names in _HOMES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell: object) -> None:
    """``%load_ext memviz_torch`` gives notebooks the cell magic ``%%memviz``."""
    from memviz_torch._magic import magic

    shell.register_magic_function(magic(shell), "cell", "memviz")  # type: ignore[attr-defined]

"""In a notebook: where the program finds the text of the lines of its cells and modules."""

from __future__ import annotations

import contextlib
import linecache
import os
import re
import sys
import tempfile

_CELL = re.compile(r"(?:^|[/\\])(ipykernel_\d+)[/\\](\d+\.py)$")
_MOST_CELLS = 1000


def cells() -> "dict[tuple[str, str], str]":
    """Returns the text of each executed cell, by the last folder and the name of the file in its frames. The name is
    a hash of the text, so a changed cell has another name."""
    if "ipykernel" not in sys.modules:
        return {}
    known = {**getattr(linecache, "_ipython_cache", {}), **linecache.cache}
    found = {}
    for name, entry in list(known.items())[-_MOST_CELLS:]:
        cell = _CELL.search(str(name))
        if cell and len(entry) == 4:  # else its lines are not read yet
            found[cell.group(1), cell.group(2)] = "".join(entry[2])
    return found


def source_folders(stack: contextlib.ExitStack, is_file: bool) -> "list[str]":
    """Returns folders for ``--source``: a copy of the cells, which lasts as long as ``stack``; and, for a snapshot
    that is a file, whose time shows what changed since, the working directory. None outside a notebook."""
    texts = cells()
    if not texts:
        return []
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="memviz-cells-"))
    for (place, name), text in texts.items():
        path = os.path.join(folder, place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        os.utime(path, (0, 0))  # no time: it cannot have changed
    return [folder, os.curdir] if is_file else [folder]

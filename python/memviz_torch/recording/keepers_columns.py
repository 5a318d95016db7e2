"""Writes nodes, their references and roots into columns: plain numbers and texts, which any reader of pickles accepts."""

from __future__ import annotations

import collections
from typing import Any, Iterable

from . import keepers_frames
from .keepers_memory import Storage
from .keepers_roots import Namespace
from .keepers_torch import Reference
from .keepers_types import Classes, entry, text_of

MOST_NODES = 200_000
_MOST_BYTES_OF_TEXT = 512
# By the id of the class, because a lookup by the class would ask its metaclass for a hash.
_LENGTHS: dict[int, Any] = {id(cls): cls.__len__ for cls in (list, tuple, dict, set, frozenset, collections.deque)}


class _Words:
    """Distinct texts, by the order in which they were first used."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def number_of_bounded(self, text: str) -> int:
        if len(text) > _MOST_BYTES_OF_TEXT // 4 or not text.isascii():
            text = text.encode("utf-8", "replace")[:_MOST_BYTES_OF_TEXT].decode("utf-8", "ignore")
        return self.number(text)

    def all(self) -> list[str]:
        return list(self._numbers)


class _Rows:
    """Rows of numbers, kept as columns."""

    def __init__(self, prefix: str, *names: str) -> None:
        self._names = [f"{prefix}_{name}" for name in names]
        self._columns: list[list[int]] = [[] for _ in names]
        self._appends = [column.append for column in self._columns]

    def add(self, *values: int) -> None:
        for append, value in zip(self._appends, values):
            append(value)

    def all(self) -> dict[str, list[int]]:
        return dict(zip(self._names, self._columns))


class Columns:
    def __init__(self, classes: Classes) -> None:
        self._classes = classes
        self._numbers: dict[int, int] = {}  # of nodes, by the id of the object
        self._kept: list[Any] = []
        self._texts, self._kinds, self._hows, self._root_kinds = _Words(), _Words(), _Words(), _Words()
        self._texts.number("")
        self._nodes = _Rows("node", "kind", "name", "file", "line", "items", "hidden")
        self._edges = _Rows("edge", "from", "to", "how", "label")
        self._roots = _Rows("root", "kind", "node")
        self._storages = _Rows("storage", "node", "device", "address", "bytes")
        self.is_full = False

    def has_id(self, key: int) -> bool:
        return key in self._numbers

    def add(self, holder: Any, storages: Iterable[Storage], hidden: int) -> bool:
        """Adds an object; returns whether there is still room for it."""
        if len(self._numbers) >= MOST_NODES:
            self.is_full = True
            return False
        number = self._numbers[id(holder)] = len(self._numbers)
        self._kept.append(holder)
        kind, name, file, line, items = self._described(holder)
        text = self._texts.number_of_bounded
        self._nodes.add(self._kinds.number(kind), text(name), text(file), line, items, hidden)
        for device, address, size in storages:
            self._storages.add(number, device, address, size)
        return True

    def edge(self, holder: Any, reference: Reference) -> None:
        value, how, label = reference
        if how != "index":
            label = self._texts.number_of_bounded(label)
        self._edges.add(self._numbers[id(holder)], self._numbers[id(value)], self._hows.number(how), label)

    def root(self, kind: str, holder: Any) -> None:
        self._roots.add(self._root_kinds.number(kind), self._numbers[id(holder)])

    def _described(self, holder: Any) -> tuple[str, str, str, int, int]:
        """Returns kind, name, file, line and length."""
        if type(holder) is keepers_frames.RunningFrame:
            return "frame", holder.name, holder.file, holder.line, -1
        if type(holder) is Namespace:
            file = text_of(entry(holder.items, "__file__")) if holder.name == "__main__" else ""
            return "globals", holder.name, file, 0, len(holder.items)
        facts = self._classes.of(holder)
        name, file, line = facts.name, "", 0
        if facts.kind in ("traceback", "generator", "function"):
            name, file, line = keepers_frames.place_of(holder)
        elif facts.kind == "class":
            name = self._classes.of_class(holder).name
        return facts.kind, name, file, line, _length(holder)

    def all(self) -> dict[str, Any]:
        words = {"texts": self._texts, "kinds": self._kinds, "hows": self._hows, "root_kinds": self._root_kinds}
        found: dict[str, Any] = {name: word.all() for name, word in words.items()}
        for rows in (self._nodes, self._edges, self._roots, self._storages):
            found.update(rows.all())
        return found


def _length(holder: Any) -> int:
    length = _LENGTHS.get(id(type(holder)))
    return length(holder) if length is not None else -1

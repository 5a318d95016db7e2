"""Writes nodes, their references and roots into columns: plain numbers and texts, which any reader of pickles accepts."""

from __future__ import annotations

import collections
from typing import Any, Iterable

from . import keepers_frames
from .keepers_code import Place
from .keepers_roots import Namespace
from .keepers_storages import Storage
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
        known = self._numbers.get(text)
        if known is not None:
            return known
        if len(text) > _MOST_BYTES_OF_TEXT // 4 or not text.isascii():
            text = text.encode("utf-8", "replace")[:_MOST_BYTES_OF_TEXT].decode("utf-8", "ignore")
        return self.number(text)

    def all(self) -> list[str]:
        return list(self._numbers)


class _Rows:
    """Rows of numbers, which become columns."""

    def __init__(self, prefix: str, *names: str) -> None:
        self._names = [f"{prefix}_{name}" for name in names]
        self._numbers: list[int] = []
        self.add = self._numbers.extend  # of one row

    def all(self) -> dict[str, list[int]]:
        return {name: self._numbers[place :: len(self._names)] for place, name in enumerate(self._names)}


class Columns:
    def __init__(self, classes: Classes) -> None:
        self._classes = classes
        self._numbers: dict[int, int] = {}  # of nodes, by the id of the object
        self._kept: list[Any] = []
        self._of_classes: dict[int, tuple[int, int, Any]] = {}  # kind, name and reader of the length, by the id of a class
        self._texts, self._kinds, self._hows, self._root_kinds = _Words(), _Words(), _Words(), _Words()
        self._place_hows = _Words()
        self._texts.number("")
        self._nodes = _Rows("node", "kind", "name", "file", "line", "items", "hidden")
        self._edges = _Rows("edge", "from", "to", "how", "label")
        self._roots = _Rows("root", "kind", "node")
        self._storages = _Rows("storage", "node", "device", "address", "bytes")
        self._places = _Rows("place", "node", "variable", "how", "name", "file", "line")
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
        known = self._of_classes.get(id(type(holder)))
        if known is None:
            self._nodes.add(self._described(holder, hidden))
        else:
            kind, name, length = known
            self._nodes.add((kind, name, 0, 0, -1 if length is None else length(holder), hidden))
        for device, address, size in storages:
            self._storages.add((number, device, address, size))
        return True

    def edge(self, holder: Any, reference: Reference) -> None:
        value, how, label = reference
        if how != "index":
            label = self._texts.number_of_bounded(label)
        self._edges.add((self._numbers[id(holder)], self._numbers[id(value)], self._hows.number(how), label))

    def root(self, kind: str, holder: Any) -> None:
        self._roots.add((self._root_kinds.number(kind), self._numbers[id(holder)]))

    def place(self, holder: Any, variable: str, place: Place) -> None:
        """Adds a line that sets or uses a variable of a root."""
        text = self._texts.number_of_bounded
        how = self._place_hows.number(place.how)
        self._places.add((self._numbers[id(holder)], text(variable), how, text(place.function), text(place.file), place.line))

    def _described(self, holder: Any, hidden: int) -> tuple[int, ...]:
        """Returns the row of a node."""
        kind, name, file, line, items = "", "", "", 0, -1
        if type(holder) is keepers_frames.RunningFrame:
            kind, name, file, line = "frame", holder.name, holder.file, holder.line
        elif type(holder) is Namespace:
            kind, name, items = "globals", holder.name, len(holder.items)
            file = text_of(entry(holder.items, "__file__")) if name == "__main__" else ""
        else:
            facts = self._classes.of(holder)
            kind, name = facts.kind, facts.name
            if kind in ("traceback", "generator", "function"):
                name, file, line = keepers_frames.place_of(holder)
            elif kind == "class":
                name = self._classes.of_class(holder).name
            else:
                return self._described_by_class(holder, kind, name, hidden)
        text = self._texts.number_of_bounded
        return self._kinds.number(kind), text(name), text(file), line, items, hidden

    def _described_by_class(self, holder: Any, kind: str, name: str, hidden: int) -> tuple[int, ...]:
        """Does the same for an object that only its class describes, and keeps that for others of the class."""
        cls = type(holder)
        length = _LENGTHS.get(id(cls))
        numbers = (self._kinds.number(kind), self._texts.number_of_bounded(name))
        self._of_classes[id(cls)] = (*numbers, length)
        return (*numbers, 0, 0, -1 if length is None else length(holder), hidden)

    def all(self) -> dict[str, Any]:
        words = {"texts": self._texts, "kinds": self._kinds, "hows": self._hows, "root_kinds": self._root_kinds}
        words["place_hows"] = self._place_hows
        found: dict[str, Any] = {name: word.all() for name, word in words.items()}
        for rows in (self._nodes, self._edges, self._roots, self._storages, self._places):
            found.update(rows.all())
        return found

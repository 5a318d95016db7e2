"""Writes nodes, their references and roots into columns: plain numbers and texts, which any reader of pickles accepts."""

from __future__ import annotations

import array
import collections
from typing import Any, Iterable, Iterator, MutableSequence

from . import keepers_frames
from .keepers_code import Place
from .keepers_found import Found, Reference
from .keepers_roots import Namespace
from .keepers_types import Classes, entry, text_of

MOST_NODES = 200_000
_MOST_BYTES_OF_TEXT = 512
_NO_ROOM = -1
_PACKED = {"label": "q", "address": "Q", "bytes": "Q"}
# By the id of the class, because a lookup by the class would ask its metaclass for a hash.
_LENGTHS: dict[int, Any] = {id(cls): cls.__len__ for cls in (list, tuple, dict, set, frozenset, collections.deque)}


class _Words:
    """Distinct texts, by the order in which they were first used. ``known`` finds the number of one that was used."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.known = self._numbers.get

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
    """Rows of numbers, which become columns. Where these are numbers that nothing else has, without an object for each."""

    def __init__(self, prefix: str, *names: str) -> None:
        self._columns: dict[str, MutableSequence[int]] = {
            f"{prefix}_{name}": array.array(_PACKED[name]) if name in _PACKED else [] for name in names
        }
        self.appends = [column.append for column in self._columns.values()]

    def add(self, row: Iterable[int]) -> None:
        for append, number in zip(self.appends, row):
            append(number)

    def take(self) -> Iterator[tuple[str, list[int]]]:
        """Returns each column as a list, which any reader of pickles accepts, and removes it."""
        self.appends.clear()
        for name in list(self._columns):
            yield name, list(self._columns.pop(name))


class Columns:
    """``added`` are the objects that were added, by their numbers."""

    def __init__(self, classes: Classes, found: Found) -> None:
        self._classes = classes
        self._found = found
        self._numbers: dict[int, int] = {}  # of nodes, by the id of the object
        self.added: list[Any] = []
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

    def add(self, holder: Any) -> int:
        """Adds an object, unless it was added; returns its number, a negative one if there is no room for it."""
        key = id(holder)
        number = self._numbers.get(key)
        if number is not None:
            return number
        number = len(self._numbers)
        if number >= MOST_NODES:
            self.is_full = True
            return _NO_ROOM
        self._numbers[key] = number
        self.added.append(holder)
        hidden = self._found.hidden.get(key, 0)
        known = self._of_classes.get(id(type(holder)))
        if known is None:
            self._nodes.add(self._described(holder, hidden))
        else:
            add_kind, add_name, add_file, add_line, add_items, add_hidden = self._nodes.appends
            add_kind(known[0])
            add_name(known[1])
            add_file(0)
            add_line(0)
            add_items(-1 if known[2] is None else known[2](holder))
            add_hidden(hidden)
        for device, address, size in self._found.storages.of(key):
            self._storages.add((number, device, address, size))
        return number

    def add_references(self, holder: Any, references: list[Reference]) -> None:
        """Adds references of an object that was added, and the objects that they lead to, as long as there is room for these."""
        add_from, add_to, add_how, add_label = self._edges.appends
        known_number, known_how, known_text = self._numbers.get, self._hows.known, self._texts.known
        source = self._numbers[id(holder)]
        for value, how, label in references:
            target = known_number(id(value))
            if target is None:
                target = self.add(value)
                if target < 0:
                    continue
            if how != "index":
                text = known_text(label)
                label = self._texts.number_of_bounded(label) if text is None else text
            number = known_how(how)
            add_from(source)
            add_to(target)
            add_how(self._hows.number(how) if number is None else number)
            add_label(label)

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

    def take(self) -> dict[str, Any]:
        """Returns all columns, and frees what they were made of."""
        self.added.clear()
        self._numbers.clear()
        words = {"texts": self._texts, "kinds": self._kinds, "hows": self._hows, "root_kinds": self._root_kinds}
        words["place_hows"] = self._place_hows
        found: dict[str, Any] = {name: word.all() for name, word in words.items()}
        for rows in (self._nodes, self._edges, self._roots, self._storages, self._places):
            found.update(rows.take())
        return found

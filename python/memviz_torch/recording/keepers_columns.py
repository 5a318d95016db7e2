"""Writes nodes, their references and roots into columns: plain numbers and texts, which any reader of pickles accepts."""

from __future__ import annotations

from typing import Any

from . import keepers_frames
from .keepers_memory import Storage
from .keepers_roots import Namespace
from .keepers_torch import Reference
from .keepers_types import Classes

MOST_NODES = 200_000
_MOST_BYTES_OF_TEXT = 512
_LENGTHS: dict[type, Any] = {cls: cls.__len__ for cls in (list, tuple, dict, set, frozenset)}


class _Words:
    """Distinct texts, by the order in which they were first used."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def all(self) -> list[str]:
        return list(self._numbers)


class Columns:
    def __init__(self, classes: Classes) -> None:
        self._classes = classes
        self._numbers: dict[int, int] = {}  # of nodes, by the id of the object
        self._kept: list[Any] = []
        self._texts, self._kinds, self._hows, self._root_kinds = _Words(), _Words(), _Words(), _Words()
        self._texts.number("")
        names = "node_kind node_name node_file node_line node_items node_hidden edge_from edge_to edge_how edge_label "
        names += "root_kind root_node storage_node storage_device storage_address storage_bytes"
        self._columns: dict[str, list[int]] = {name: [] for name in names.split()}
        self.is_full = False

    def has(self, holder: Any) -> bool:
        return id(holder) in self._numbers

    def has_id(self, key: int) -> bool:
        return key in self._numbers

    def add(self, holder: Any, storages: list[Storage], hidden: int) -> bool:
        """Adds an object; returns whether there is still room for it."""
        if len(self._numbers) >= MOST_NODES:
            self.is_full = True
            return False
        number = self._numbers[id(holder)] = len(self._numbers)
        self._kept.append(holder)
        kind, name, file, line, items = self._described(holder)
        self._add("node", kind=self._kinds.number(kind), name=self._text(name), file=self._text(file), line=line)
        self._add("node", items=items, hidden=hidden)
        for device, address, size in storages:
            self._add("storage", node=number, device=device, address=address, bytes=size)
        return True

    def edge(self, holder: Any, reference: Reference) -> None:
        label = reference.label if reference.how == "index" else self._text(reference.label)
        self._add("edge", to=self._number(reference.value), how=self._hows.number(reference.how), label=label)
        self._columns["edge_from"].append(self._number(holder))

    def root(self, kind: str, holder: Any) -> None:
        self._add("root", kind=self._root_kinds.number(kind), node=self._number(holder))

    def _number(self, holder: Any) -> int:
        return self._numbers[id(holder)]

    def _add(self, prefix: str, **values: int) -> None:
        for name, value in values.items():
            self._columns[f"{prefix}_{name}"].append(value)

    def _text(self, text: str) -> int:
        if len(text) > _MOST_BYTES_OF_TEXT // 4 or not text.isascii():
            text = text.encode("utf-8", "replace")[:_MOST_BYTES_OF_TEXT].decode("utf-8", "ignore")
        return self._texts.number(text)

    def _described(self, holder: Any) -> tuple[str, str, str, int, int]:
        """Returns kind, name, file, line and length."""
        if type(holder) is keepers_frames.RunningFrame:
            return "frame", holder.name, holder.file, holder.line, -1
        if type(holder) is Namespace:
            return "globals", holder.name, "", 0, len(holder.items)
        facts = self._classes.of(holder)
        name, file, line = facts.name, "", 0
        if facts.kind in ("traceback", "generator", "function"):
            name, file, line = keepers_frames.place_of(holder)
        elif facts.kind == "class":
            name = self._classes.of_class(holder).name
        return facts.kind, name, file, line, _length(holder) if facts.is_exact else -1

    def all(self) -> dict[str, Any]:
        words = {"texts": self._texts, "kinds": self._kinds, "hows": self._hows, "root_kinds": self._root_kinds}
        return {**{name: word.all() for name, word in words.items()}, **self._columns}


def _length(holder: Any) -> int:
    length = _LENGTHS.get(type(holder))
    return length(holder) if length is not None else -1

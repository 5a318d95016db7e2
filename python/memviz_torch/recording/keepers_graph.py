"""Reads the nodes of autograd's graphs: the nodes that follow, and the tensors that are saved for the backward pass.
Never runs the hook that unpacks a saved tensor, because it would compute."""

from __future__ import annotations

import types
from typing import Any, Iterator, NamedTuple, Optional

from .keepers_found import are_none
from .keepers_types import class_items, read_mro

_RAW = "_raw_saved_"


class Saved(NamedTuple):
    label: str
    is_hidden: bool  # only a hook could show the tensor
    data: Any  # the tensor, or what a hook made of it; None if unknown
    hook: Any  # what would make the tensor of the data; None if nothing has to, or it is unknown


class Fields(NamedTuple):
    """Readers of a class of nodes."""

    saved: tuple[tuple[str, Any], ...]
    labels: tuple[str, ...]
    variable: Any
    next_functions: Any


class GraphReader:
    def __init__(self) -> None:
        self._fields: dict[int, Fields] = {}
        self._saved_fields: dict[int, Optional[tuple[Any, Any]]] = {}

    def saved(self, node: Any, label: str, read: Any) -> Iterator[Saved]:
        try:
            found = read(node)
        except Exception:  # freed, once the backward pass is over
            return
        for one in found if type(found) is tuple else (found,):
            yield self._look_at(label, one)

    def data_without_hooks(self, saved: list[Any]) -> list[Any]:
        """Returns the tensors of these saved ones, None for each that is unknown. Raises where only a hook could show one,
        and where one is something else."""
        classes = set(map(id, map(type, saved)))
        readers = self._readers_of_saved(type(saved[0])) if len(classes) == 1 else None
        if readers is None:
            raise TypeError("not a saved tensor that can be shown")
        read_hook, read_data = readers
        if not are_none(map(read_hook, saved)):
            raise ValueError("a hook")
        return list(map(read_data, saved))

    def _look_at(self, label: str, saved: Any) -> Saved:
        readers = self._readers_of_saved(type(saved))
        if readers is None:
            return Saved(label, True, None, None)
        read_hook, read_data = readers
        hook = read_hook(saved)
        return Saved(label, hook is not None, read_data(saved), hook)

    def _readers_of_saved(self, cls: type) -> Optional[tuple[Any, Any]]:
        if id(cls) not in self._saved_fields:
            self._saved_fields[id(cls)] = _readers_of_saved(cls)
        return self._saved_fields[id(cls)]

    def fields(self, cls: type) -> Fields:
        fields = self._fields.get(id(cls))
        if fields is None:
            fields = self._fields[id(cls)] = _readers_of_node(cls)
        return fields


def _readers_of_saved(cls: type) -> Optional[tuple[Any, Any]]:
    """Returns the readers of a saved tensor's hook and data. PyTorch 2.6 has none that runs no hook."""
    items = class_items(cls)
    if type(items.get("data")) is not property or type(items.get("unpack_hook")) is not property:
        return None
    return items["unpack_hook"].fget, items["data"].fget


def _readers_of_node(cls: type) -> Fields:
    found: dict[str, Any] = {}
    for base in read_mro(cls):
        for name, value in class_items(base).items():
            if type(value) is types.GetSetDescriptorType:
                found.setdefault(name, value.__get__)
    saved = tuple((name[len(_RAW) :], read) for name, read in found.items() if name.startswith(_RAW))
    return Fields(saved, tuple(label for label, _ in saved), found.get("variable"), found["next_functions"])

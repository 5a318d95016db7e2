"""Reads the nodes of autograd's graphs: the nodes that follow, and the tensors that are saved for the backward pass.
Never runs the hook that unpacks a saved tensor, because it would compute."""

from __future__ import annotations

import types
from typing import Any, Iterator, NamedTuple, Optional

from .keepers_types import class_items, read_mro

_RAW = "_raw_saved_"


class Saved(NamedTuple):
    label: str
    is_hidden: bool  # only a hook could show the tensor
    data: Any  # the tensor, or what a hook made of it; None if unknown
    hook: Any  # what would make the tensor of the data; None if nothing has to, or it is unknown


class _Fields(NamedTuple):
    """Readers of a class of nodes."""

    saved: tuple[tuple[str, Any], ...]
    variable: Any
    next_functions: Any


class GraphReader:
    def __init__(self) -> None:
        self._fields: dict[int, _Fields] = {}
        self._saved_fields: dict[int, Optional[tuple[Any, Any]]] = {}

    def following(self, node: Any) -> list[Any]:
        return [one for one, _ in self._of_class(type(node)).next_functions(node) if one is not None]

    def variable(self, node: Any) -> Any:
        """Returns the tensor whose gradient the node accumulates; None for other nodes."""
        read = self._of_class(type(node)).variable
        return read(node) if read is not None else None

    def saved(self, node: Any) -> Iterator[Saved]:
        for label, read in self._of_class(type(node)).saved:
            try:
                found = read(node)
            except Exception:  # freed, once the backward pass is over
                continue
            for one in found if type(found) is tuple else (found,):
                yield self._look_at(label, one)

    def _look_at(self, label: str, saved: Any) -> Saved:
        cls = type(saved)
        if id(cls) not in self._saved_fields:
            self._saved_fields[id(cls)] = _readers_of_saved(cls)
        readers = self._saved_fields[id(cls)]
        if readers is None:
            return Saved(label, True, None, None)
        read_hook, read_data = readers
        hook = read_hook(saved)
        return Saved(label, hook is not None, read_data(saved), hook)

    def _of_class(self, cls: type) -> _Fields:
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


def _readers_of_node(cls: type) -> _Fields:
    found: dict[str, Any] = {}
    for base in read_mro(cls):
        for name, value in class_items(base).items():
            if type(value) is types.GetSetDescriptorType:
                found.setdefault(name, value.__get__)
    saved = tuple((name[len(_RAW) :], read) for name, read in found.items() if name.startswith(_RAW))
    return _Fields(saved, found.get("variable"), found["next_functions"])

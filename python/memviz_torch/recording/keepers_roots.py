"""Finds the roots of the Python heap: the frames of running threads, the globals of modules, and the exception that is being
handled."""

from __future__ import annotations

import sys
import types
from typing import Any, Iterator, NamedTuple

from . import keepers_frames
from .keepers_types import entry, read_mro, text_of

_read_module_dict = vars(types.ModuleType)["__dict__"].__get__


class Namespace(NamedTuple):
    """The globals of a module."""

    name: str
    items: dict[Any, Any]


class Roots(NamedTuple):
    threads: list[list[keepers_frames.RunningFrame]]
    frame_ids: set[int]  # of all running frames
    namespaces: list[Namespace]  # that of __main__ first
    exceptions: list[Any]

    def values(self) -> list[Any]:
        """Returns the objects to which the roots refer, with the dicts of modules themselves."""
        variables = [value for frames in self.threads for frame in frames for value in frame.locals.values()]
        return [*variables, *(space.items for space in self.namespaces), *self.exceptions]

    def in_order(self) -> Iterator[tuple[str, Any]]:
        """Returns the kind of each root, and the root."""
        for frames in self.threads:
            yield from (("local", frame) for frame in frames)
        yield from (("main", namespace) for namespace in self.namespaces if namespace.name == "__main__")
        yield from (("exception", exception) for exception in self.exceptions)
        yield from (("global", namespace) for namespace in self.namespaces if namespace.name != "__main__")


def found() -> Roots:
    threads, frame_ids, globals_of_frames = keepers_frames.running()
    namespaces: dict[int, Namespace] = {}
    for space in _modules():  # multiprocessing gives __main__ a second name
        namespaces.setdefault(id(space.items), space)
    for items in globals_of_frames:
        if type(items) is dict and id(items) not in namespaces:
            namespaces[id(items)] = Namespace(text_of(entry(items, "__name__")), items)
    ordered = sorted(namespaces.values(), key=lambda space: space.name != "__main__")
    return Roots(threads, frame_ids, ordered, list(_exceptions()))


def _modules() -> Iterator[Namespace]:
    modules = sys.modules
    if not issubclass(type(modules), dict):
        return
    for name, module in list(dict.items(modules)):
        if type(name) is str and _is_module(module):
            items = _read_module_dict(module)
            if type(items) is dict:
                yield Namespace(name, items)


def _is_module(instance: Any) -> bool:
    """Whether it is a module, without asking the object."""
    return any(base is types.ModuleType for base in read_mro(type(instance)) or ())


def _exceptions() -> Iterator[Any]:
    seen: set[int] = set()
    for value in (sys.exc_info()[1], *(entry(sys.__dict__, name) for name in ("last_exc", "last_value", "last_traceback"))):
        if value is not None and id(value) not in seen:
            seen.add(id(value))
            yield value

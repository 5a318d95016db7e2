"""Finds where the variables that keep GPU memory are set, and where a function uses a global: the lines to change."""

from __future__ import annotations

import time
import types
from typing import Any, Callable, Iterable, Iterator

from . import keepers_reach
from .keepers_code import Code, CodeReader, Place
from .keepers_roots import Namespace, Roots
from .keepers_types import text_of

_MOST_SET = 4  # lines of a variable
_MOST_SECONDS = 1.0


def found(
    variables: list[tuple[Any, list[str]]], roots: Roots, objects: list[Any], code: CodeReader
) -> Iterator[tuple[Any, str, Place]]:
    """Returns each root with the name and the places of its variables, as far as the time and ``code`` allow."""
    ends = time.monotonic() + _MOST_SECONDS
    of_globals = GlobalPlaces(code, roots, objects, lambda: time.monotonic() > ends)
    for root, names in variables:
        if type(root) is Namespace:
            yield from ((root, *one) for one in of_globals.of(root, names))
            continue
        of_locals = code.of_locals(root.code)
        for name in names:
            yield from ((root, name, place) for place in of_locals.get(name, ())[:_MOST_SET])


class GlobalPlaces:
    def __init__(self, code: CodeReader, roots: Roots, objects: list[Any], is_over: Callable[[], bool]) -> None:
        self._code = code
        self._is_over = is_over
        frames = [frame for frames in roots.threads for frame in frames]
        self._running = {id(frame.code) for frame in frames}
        self._modules = [frame for frame in frames if frame.is_module]
        self._functions: dict[int, dict[int, types.CodeType]] = {}  # by the id of the globals and of the code
        functions: dict[int, type] = {id(types.FunctionType): types.FunctionType}
        for function in keepers_reach.of_classes(objects, functions, lambda _: True):
            self._functions.setdefault(id(function.__globals__), {})[id(function.__code__)] = function.__code__

    def of(self, namespace: Namespace, names: Iterable[str]) -> Iterator[tuple[str, Place]]:
        """Returns the name of each variable with the places that set it and the first one that uses it: in a function that
        does not run, if there is one."""
        wanted = set(names)
        sets: dict[str, list[Place]] = {}
        uses: tuple[dict[str, list[Place]], dict[str, list[Place]]] = ({}, {})
        for one, is_module in self._codes(namespace):
            for name, place in self._code.of_globals(one, wanted, is_module):
                of_how = sets if place.how == "set" else uses[id(one.code) in self._running]
                of_how.setdefault(name, []).append(place)
        for name in sorted(wanted):
            yield from ((name, place) for place in list(dict.fromkeys(sets.get(name, ())))[:_MOST_SET])
            yield from ((name, place) for place in (uses[0].get(name) or uses[1].get(name) or [])[:1])

    def _codes(self, namespace: Namespace) -> Iterator[tuple[Code, bool]]:
        """Returns the code of the module, while it runs, and of its functions, in the order of their lines. True for the
        module's own."""
        modules = [frame.code for frame in self._modules if frame.namespace is namespace.items]
        functions = list(self._functions.get(id(namespace.items), {}).values())
        functions.sort(key=lambda code: (text_of(code.co_filename), code.co_firstlineno))
        own = set(map(id, modules))
        seen: set[int] = set()
        for outer in (*modules, *functions):
            if id(outer) in seen:
                continue
            for one in self._code.with_nested(outer):
                if self._is_over():
                    return
                if id(one.code) not in seen:
                    seen.add(id(one.code))
                    yield one, id(one.code) in own

"""Reads from code objects which lines set a variable, and which use a global. Runs no code of the program: a code object has
only numbers and plain texts, and its constants are not asked for anything."""

from __future__ import annotations

import bisect
import dis
import itertools
import sys
import types
from typing import Iterator, NamedTuple, Optional

from .keepers_types import text_of

_MOST_INSTRUCTIONS = 500_000  # of a walk, some 0.1 s
_MOST_CODES = 20_000
_MOST_DEPTH = 20  # of functions within functions
_WITHOUT_NAME = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_HAS_ONE_LIST_OF_LOCALS = sys.version_info >= (3, 11)
SHIFT_OF_GLOBALS = 1 if sys.version_info >= (3, 11) else 0  # the lowest bit is a flag


class Place(NamedTuple):
    how: str  # "set", "used" or "would set"
    function: str
    file: str
    line: int


class Code(NamedTuple):
    """Code of the program; ``function`` is that of the function around a comprehension."""

    code: types.CodeType
    function: str
    shared: Optional[frozenset[str]]  # the variables of the outermost function that it has as well; None for that function


def _numbers(*names: str) -> frozenset[int]:
    """Returns the numbers of those instructions that this version of Python has."""
    return frozenset(dis.opmap[name] for name in names if name in dis.opmap)


_EXTENDED = _numbers("EXTENDED_ARG")
_STORE_LOCAL = _numbers("STORE_FAST")
_STORE_CELL = _numbers("STORE_DEREF")
_STORE_TWO = _numbers("STORE_FAST_STORE_FAST")
_STORE_AND_LOAD = _numbers("STORE_FAST_LOAD_FAST")
_BORROWED = _numbers("LOAD_FAST_AND_CLEAR")  # a comprehension has the variable meanwhile
_STORE_NAME = _numbers("STORE_NAME")
_STORE_GLOBAL = _numbers("STORE_GLOBAL")
_LOAD_GLOBAL = _numbers("LOAD_GLOBAL")
_ABOUT_LOCALS = _STORE_LOCAL | _STORE_CELL | _STORE_TWO | _STORE_AND_LOAD | _BORROWED


class CodeReader:
    """Reads a bounded number of code objects and instructions; of those beyond it, nothing is known."""

    def __init__(self) -> None:
        self._instructions_left = _MOST_INSTRUCTIONS
        self._codes_left = _MOST_CODES
        self._locals: dict[int, dict[str, list[Place]]] = {}
        self._kept: list[types.CodeType] = []

    def arguments(self, code: types.CodeType) -> frozenset[str]:
        """Returns the arguments of a function that it does not set to other values."""
        if not code.co_flags & 0x2:  # CO_NEWLOCALS: not a function's
            return frozenset()
        count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x4) + bool(code.co_flags & 0x8)
        return frozenset(code.co_varnames[:count]).difference(self.of_locals(code))

    def of_locals(self, code: types.CodeType) -> dict[str, list[Place]]:
        """Returns the lines that set each local variable, also those of functions within."""
        found = self._locals.get(id(code))
        if found is None:
            found = self._locals[id(code)] = {}
            self._kept.append(code)
            try:
                for one in self.with_nested(code):
                    if one.shared is None or one.shared:
                        self._add_locals(one, found)
            except Exception:  # made by other means than a compiler
                found.clear()
        return found

    def with_nested(self, code: types.CodeType) -> Iterator[Code]:
        """Returns the code, and that of functions, classes and comprehensions within."""
        pending = [(Code(code, text_of(code.co_name), None), 0)]
        while pending and self._codes_left > 0:
            self._codes_left -= 1
            one, depth = pending.pop()
            yield one
            if depth < _MOST_DEPTH:
                nested = [constant for constant in one.code.co_consts if type(constant) is types.CodeType]
                pending.extend((_within(one, constant), depth + 1) for constant in reversed(nested))

    def _add_locals(self, one: Code, found: dict[str, list[Place]]) -> None:
        """Adds what sets the variables of the outermost function."""
        plain, cells = names_of_locals(one.code)
        stores: list[tuple[int, str]] = []
        borrowed: set[str] = set()
        for offset, number, argument in self._instructions(one.code, _ABOUT_LOCALS):
            if number in _BORROWED:
                borrowed.update(_at(plain, argument))
            elif number in _STORE_TWO or number in _STORE_AND_LOAD:
                stores.extend((offset, name) for name in _at(plain, argument >> 4))
                if number in _STORE_TWO:
                    stores.extend((offset, name) for name in _at(plain, argument & 15))
            else:
                stores.extend((offset, name) for name in _at(cells if number in _STORE_CELL else plain, argument))
        if one.shared is not None:
            stores = [store for store in stores if store[1] in one.shared]
        for name, place in _places(one, "set", [store for store in stores if store[1] not in borrowed]):
            found.setdefault(name, []).append(place)

    def of_globals(self, one: Code, names: set[str], is_module: bool) -> list[tuple[str, Place]]:
        """Returns the lines that set or use these globals. ``is_module``: whether it is a module's own code."""
        if names.isdisjoint(one.code.co_names):
            return []
        sets: list[tuple[int, str]] = []
        uses: list[tuple[int, str]] = []
        wanted = _STORE_GLOBAL | _STORE_NAME if is_module else _STORE_GLOBAL | _LOAD_GLOBAL
        for offset, number, argument in self._instructions(one.code, wanted):
            is_use = number in _LOAD_GLOBAL
            for name in _at(one.code.co_names, argument >> SHIFT_OF_GLOBALS if is_use else argument):
                if name in names:
                    (uses if is_use else sets).append((offset, name))
        return [*_places(one, "set", sets), *_places(one, "used", uses)]

    def _instructions(self, code: types.CodeType, wanted: frozenset[int]) -> Iterator[tuple[int, int, int]]:
        """Returns the offset, the number and the argument of the instructions that are wanted."""
        raw = code.co_code
        self._instructions_left -= len(raw) // 2
        if self._instructions_left < 0:
            return
        more = 0
        for offset, number, argument in zip(itertools.count(0, 2), raw[::2], raw[1::2]):
            if number in _EXTENDED:
                more = (more | argument) << 8 & 0xFFFFFF00
                continue
            if number in wanted:
                yield offset, number, more | argument
            more = 0


def _places(one: Code, how: str, offsets: list[tuple[int, str]]) -> list[tuple[str, Place]]:
    """Returns each name with the distinct lines of the instructions at these offsets."""
    if not offsets:
        return []
    starts = [(offset, line or 0) for offset, line in itertools.islice(dis.findlinestarts(one.code), _MOST_INSTRUCTIONS)]
    file = text_of(one.code.co_filename)
    found = []
    for offset, name in offsets:
        after = bisect.bisect_right(starts, (offset, sys.maxsize))
        line = starts[after - 1][1] if after > 0 else 0
        if line > 0:
            found.append((name, Place(how, one.function, file, line)))
    return list(dict.fromkeys(found))


def names_of_locals(code: types.CodeType) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the variables that the arguments of STORE_FAST and of STORE_DEREF number."""
    if not _HAS_ONE_LIST_OF_LOCALS:
        return code.co_varnames, code.co_cellvars + code.co_freevars
    plain = frozenset(code.co_varnames)
    names = (*code.co_varnames, *(name for name in code.co_cellvars if name not in plain), *code.co_freevars)
    return names, names


def _at(names: tuple[str, ...], number: int) -> tuple[str, ...]:
    """Returns the name with this number; nothing where there is none."""
    return names[number : number + 1]


def _within(outer: Code, code: types.CodeType) -> Code:
    name = text_of(code.co_name)
    shared = frozenset(outer.code.co_cellvars) if outer.shared is None else outer.shared
    return Code(code, outer.function if name in _WITHOUT_NAME else name, shared.intersection(code.co_freevars))

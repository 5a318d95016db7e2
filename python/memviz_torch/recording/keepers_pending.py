"""Finds the variable that the running line of a function would set, because it does not exist yet while the line runs: at an
error in ``model = build()``, the model has no name. Follows the value of the running instruction over the instructions
after it, as far as these leave no choice. Runs no code of the program."""

from __future__ import annotations

import dis
import sys
import time
import types
from typing import Iterator, Optional

from .keepers_code import SHIFT_OF_GLOBALS, Place, names_of_locals
from .keepers_frames import RunningFrame

RETURNED = "return"  # not a name: the function that called this one gets the value
_MOST_INSTRUCTIONS = 200  # of a function
_MOST_SECONDS = 0.2
_BYTES_OF_JUMPS = 2 if sys.version_info >= (3, 10) else 1  # what the argument of a jump counts
_WITHOUT_RESULT = ("STORE_", "DELETE_", "POP_", "JUMP_", "RETURN_", "RAISE_", "RERAISE", "YIELD_", "SEND", "RESUME")
_ADD_TO_CONTAINER = ("LIST_APPEND", "LIST_EXTEND", "SET_ADD", "SET_UPDATE", "MAP_ADD", "DICT_UPDATE", "DICT_MERGE")
_ENDS = ("RETURN_", "RAISE_", "RERAISE", "SEND")
_ABOVE_STORED = {"STORE_ATTR": 1, "STORE_SUBSCR": 2, "STORE_SLICE": 3}  # what these take besides the value
_JUMPS = ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE")
_ROTATED = {"ROT_TWO": 2, "ROT_THREE": 3, "ROT_FOUR": 4}


def found(threads: list[list[RunningFrame]]) -> Iterator[tuple[RunningFrame, str, Place]]:
    """Returns each frame whose value goes to a variable, its own or one of a function that called it, with that variable
    and the line that would set it."""
    ends = time.monotonic() + _MOST_SECONDS
    for frames in threads:
        outer: Optional[tuple[str, Place]] = None
        for frame in reversed(frames):
            if time.monotonic() > ends:
                return
            variable = variable_of(frame.code, frame.instruction)
            if variable != RETURNED:
                place = Place("would set", frame.name, frame.file, frame.line)
                outer = (variable, place) if variable and frame.line > 0 else None
            if outer is not None:
                yield (frame, *outer)


def variable_of(code: types.CodeType, instruction: int) -> str:
    """Returns "model", "self.model" or "loss, logits" for the value of the instruction at that offset, RETURNED, or
    nothing if none of these gets it, or it is unknown."""
    try:
        return _Value(code, instruction).variable()
    except Exception:  # code that was made by other means than a compiler
        return ""


class _Value:
    """A value on the interpreter's stack, later the one that is made of it. Positions on the stack are relative."""

    def __init__(self, code: types.CodeType, instruction: int) -> None:
        self._code = code
        self._raw = code.co_code
        self._locals, self._cells = names_of_locals(code)
        self._offset = instruction
        self._height = self._place = 1
        self._parts: Optional[list[str]] = None  # the variables that have got a part of it, once it is unpacked
        self._owner = ""  # the variable that the instruction before has put on the stack

    def variable(self) -> str:
        if self._offset < 0 or self._next()[0].startswith(_WITHOUT_RESULT):
            return ""
        for _ in range(_MOST_INSTRUCTIONS):
            name, argument = self._next()
            found = self._stored(name, argument) if name.startswith("STORE_") else self._passed_on(name, argument)
            if found is not None:
                return found
            self._owner = self._loaded(name, argument)
        return ""

    def _next(self) -> tuple[str, int]:
        """Returns the name and the argument of an instruction, and goes on to the next one."""
        more = 0
        while True:
            number, argument = self._raw[self._offset], self._raw[self._offset + 1]
            self._offset += 2
            if dis.opname[number] != "EXTENDED_ARG":
                break
            more = (more | argument) << 8 & 0xFFFFFF00
        while self._offset < len(self._raw) and dis.opname[self._raw[self._offset]] == "CACHE":
            self._offset += 2
        return dis.opname[number], more | argument

    def _stored(self, name: str, argument: int) -> Optional[str]:
        """Returns the variable, "" if it is unknown, or nothing if an instruction stores another value."""
        self._height -= _ABOVE_STORED.get(name, 0)
        for variable in self._names(name, argument):
            is_value = self._height == self._place
            if is_value or self._parts is not None:
                self._parts = [*(self._parts or ()), variable]
            self._height -= 1
            if is_value:
                return "" if "" in (self._parts or ()) else ", ".join(self._parts or ())
        self._height += name == "STORE_FAST_LOAD_FAST"
        return "" if self._height < self._place else None

    def _passed_on(self, name: str, argument: int) -> Optional[str]:
        """Follows an instruction that stores nothing; returns what variable() does if it is the end."""
        is_top = self._height == self._place
        if name in ("RETURN_VALUE", "YIELD_VALUE"):
            return RETURNED if is_top else ""
        if name.startswith(_ENDS) or (is_top and name in ("FOR_ITER", "GET_AWAITABLE")):
            return ""
        rotated = argument if name in ("SWAP", "ROT_N") else _ROTATED.get(name, 0)
        if rotated:
            self._rotate(rotated, name == "SWAP")
            return None
        self._height += self._effect(name, argument)
        if name in _JUMPS or name == "FOR_ITER":  # the loop ends, and what it has made goes on
            self._jump(name, argument)
        if is_top and name.startswith("UNPACK_"):
            self._parts = []
        elif is_top and name in ("SETUP_WITH", "BEFORE_WITH"):
            self._place = self._height
        elif self._height < self._place:
            if name.startswith(_WITHOUT_RESULT):
                return ""
            self._place = self._height - (argument - 1 if name in _ADD_TO_CONTAINER else 0)
        return None

    def _effect(self, name: str, argument: int) -> int:
        """Returns by how much an instruction lets the stack grow."""
        number = dis.opmap[name]
        return dis.stack_effect(number, argument if number >= dis.HAVE_ARGUMENT else None, jump=name == "FOR_ITER")

    def _rotate(self, count: int, is_swap: bool) -> None:
        """Moves the value on top below ``count`` - 1 others, or lets it change places with the last of them."""
        lowest = self._height - count + 1
        if self._place == self._height:
            self._place = lowest
        elif self._place == lowest:
            self._place = self._height if is_swap else self._place + 1
        elif self._place > lowest and not is_swap:
            self._place += 1

    def _jump(self, name: str, argument: int) -> None:
        distance = argument * _BYTES_OF_JUMPS
        if name == "JUMP_ABSOLUTE":
            self._offset = distance
        else:
            self._offset += -distance if name.startswith("JUMP_BACKWARD") else distance

    def _names(self, name: str, argument: int) -> tuple[str, ...]:
        """Returns the variables that an instruction stores, "" for one that has no name."""
        plain = self._locals
        if name == "STORE_FAST_STORE_FAST":
            return plain[argument >> 4], plain[argument & 15]
        if name == "STORE_FAST_LOAD_FAST":
            return (plain[argument >> 4],)
        if name in ("STORE_FAST", "STORE_DEREF"):
            return ((plain if name == "STORE_FAST" else self._cells)[argument],)
        if name in ("STORE_NAME", "STORE_GLOBAL"):
            return (self._code.co_names[argument],)
        if name == "STORE_ATTR" and self._owner:
            return (f"{self._owner}.{self._code.co_names[argument]}",)
        return ("",)

    def _loaded(self, name: str, argument: int) -> str:
        """Returns the variable that an instruction puts on the stack; nothing for another value."""
        if name in ("LOAD_NAME", "LOAD_GLOBAL"):
            return self._code.co_names[argument >> SHIFT_OF_GLOBALS if name == "LOAD_GLOBAL" else argument]
        if name == "LOAD_DEREF":
            return self._cells[argument]
        if name.count("LOAD_FAST") == 2 or name == "STORE_FAST_LOAD_FAST":
            return self._locals[argument & 15]
        return self._locals[argument] if name.startswith("LOAD_FAST") else ""

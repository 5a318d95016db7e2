"""Finds the objects from which GPU memory can be reached: backwards from what holds it, over everything that the
garbage collector knows. Most objects lead to none, so many are asked at once, and looked at one by one only where one
of them does."""

from __future__ import annotations

import gc
import types
from itertools import compress
from typing import Any, Callable, Iterable, Iterator

from .keepers_types import Classes, class_items

_AT_ONCE = 128
_MOST_PASSES = 1000
# These refer to the class that they are part of, and nothing else matters of them.
_DESCRIPTORS = frozenset(
    map(
        id,
        (
            types.GetSetDescriptorType,
            types.MemberDescriptorType,
            types.MethodDescriptorType,
            types.WrapperDescriptorType,
            types.ClassMethodDescriptorType,
        ),
    )
)
_read_class_dict = type.__dict__["__dict__"].__get__


def frozen_objects(objects: list[Any], roots: list[Any]) -> list[Any]:
    """Returns what gc.freeze() has hidden from the garbage collector, and its objects or the roots refer to."""
    known = set(map(id, objects))
    found = [one for one in roots if gc.is_tracked(one) and id(one) not in known]
    pending = objects + found
    while pending:
        following: dict[int, Any] = {}
        for start in range(0, len(pending), _AT_ONCE):
            tracked = list(filter(gc.is_tracked, gc.get_referents(*pending[start : start + _AT_ONCE])))
            following.update(zip(map(id, tracked), tracked))
        for key in following.keys() & known:
            del following[key]
        known.update(following)
        pending = list(following.values())
        found.extend(pending)
    return found


def of_classes(objects: list[Any], accepts: Callable[[type], bool]) -> Iterator[Any]:
    """Returns the objects whose class is accepted."""
    classes = dict(zip(map(id, map(type, objects)), map(type, objects)))
    accepted = {key for key, cls in classes.items() if accepts(cls)}
    return compress(objects, map(accepted.__contains__, map(id, map(type, objects))))


class Reach:
    """``leading`` are the ids of objects that lead to GPU memory. ``left_out`` are not asked. ``namespaces`` are the
    globals of modules: these are roots, so what refers to them, as every function does, does not lead there: only
    ``passing`` does."""

    def __init__(self, classes: Classes, left_out: set[int], namespaces: set[int]) -> None:
        self._classes = classes
        self._left_out = left_out
        self._namespaces = namespaces
        self._holders: dict[int, list[int]] = {}  # of references that the garbage collector does not see
        self.leading: set[int] = set()
        self.passing: set[int] = set()  # those whose holders are asked
        self.is_complete = False

    def add_references(self, holder: int, targets: Iterable[int]) -> None:
        for target in targets:
            self._holders.setdefault(target, []).append(holder)

    def add(self, found: int) -> None:
        pending = [found]
        while pending:
            one = pending.pop()
            if one not in self.leading and one not in self._left_out:
                self.leading.add(one)
                if one not in self._namespaces:
                    self.passing.add(one)
                    pending.extend(self._holders.get(one, ()))

    def spread(self, objects: list[Any], is_over: Callable[[], bool]) -> None:
        """Adds what leads to them. Objects mostly follow those that refer to them, so it begins at the end; it ends
        once a pass adds nothing."""
        for number in range(_MOST_PASSES):
            before = len(self.leading)
            starts = range(0, len(objects), _AT_ONCE)
            for count, start in enumerate(reversed(starts) if number % 2 == 0 else starts):
                if count % 64 == 0 and is_over():
                    return
                self._ask(objects[start : start + _AT_ONCE])
            if len(self.leading) == before:
                self.is_complete = True
                return

    def _ask(self, some: list[Any]) -> None:
        if self.passing.isdisjoint(map(id, gc.get_referents(*some))):
            return
        for one in reversed(some):
            if id(one) not in self.leading and self.refers_on(one):
                self.add(id(one))

    def refers_on(self, one: Any) -> bool:
        """Whether it refers to an object that leads to GPU memory, other than as the object's class or by inheritance."""
        if self._classes.of(one).kind == "class":
            return any(id(items) in self.passing for items in gc.get_referents(_read_class_dict(one)))
        own_class = id(type(one))
        if own_class in _DESCRIPTORS:
            return False
        return any(key in self.passing and key != own_class for key in map(id, gc.get_referents(one)))

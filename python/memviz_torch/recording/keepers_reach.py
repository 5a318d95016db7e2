"""Finds the objects from which GPU memory can be reached: backwards from what holds it, over everything that the
garbage collector knows. Most objects lead to none, so many are asked at once, and looked at one by one only where one
of them does."""

from __future__ import annotations

import array
import gc
import types
from itertools import compress
from typing import Any, Callable, Collection, Iterator, Optional

from .keepers_found import Found
from .keepers_roots import Namespace
from .keepers_types import Classes, read_class_dict

_AT_ONCE = 128
_PASSES = 6
_PASSES_IN_CPP = (reversed, iter) * 3
_AT_ONCE_BY_INDEX = 16
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


def classes_of(objects: Collection[Any]) -> dict[int, type]:
    """Returns the classes of the objects, by id, because a lookup by the class would ask its metaclass for a hash."""
    return dict(zip(map(id, map(type, objects)), map(type, objects)))


def of_classes(objects: list[Any], classes: dict[int, type], accepts: Callable[[type], bool]) -> Iterator[Any]:
    """Returns the objects whose class is accepted."""
    accepted = {key for key, cls in classes.items() if accepts(cls)}
    if not accepted:
        return iter(())
    return compress(objects, map(accepted.__contains__, map(id, map(type, objects))))


class Reach:
    """``leading`` are the ids of objects that lead to GPU memory. ``left_out`` are not asked. ``namespaces`` are the
    globals of modules. These are roots, so what refers to them, as every function does, does not lead there; those that
    lead to GPU memory themselves are ``leading_namespaces``."""

    def __init__(self, classes: Classes, left_out: set[int], namespaces: set[int], found: Found) -> None:
        self._classes = classes
        self._left_out = left_out
        self._namespaces = namespaces
        self._found = found  # has references that the garbage collector does not see
        self.leading: set[int] = set()
        self.leading_namespaces: set[int] = set()
        self._added: list[int] = []  # what leads, in order
        self._settled = 0  # the holders in C++ of how many of these are added
        self._index_in_cpp: Optional[_IndexInCpp] = None

    def add(self, found: int) -> None:
        if found in self._namespaces:
            self.leading_namespaces.add(found)
        elif found not in self.leading and found not in self._left_out:
            self.leading.add(found)
            self._added.append(found)

    def add_all(self, found: Collection[int]) -> None:
        leading, left_out, namespaces = self.leading, self._left_out, self._namespaces
        fresh = [one for one in found if one not in leading and one not in left_out and one not in namespaces]
        self.leading.update(fresh)
        self._added.extend(fresh)

    def leads(self, root: Any) -> bool:
        if type(root) is Namespace:
            return id(root.items) in self.leading_namespaces
        return id(root) in self.leading

    def spread(self, objects: list[Any], is_over: Callable[[], bool]) -> None:
        """Adds what leads to them. Objects mostly follow those that refer to them, or the other way round, so a few
        passes to and fro are mostly enough. The rest is found by an index of what refers to what."""
        done = 0
        for number in range(_PASSES):
            done = len(self._added)
            self._spread_in_cpp(is_over)
            step = -1 if number % 2 == 0 else 1
            for count, start in enumerate(range(0, len(objects), _AT_ONCE)[::step]):
                if count % 64 == 0 and is_over():
                    return
                self._ask(objects[start : start + _AT_ONCE][::step])
            if len(self._added) == done:
                return
        self._follow(objects, done, is_over)

    def _spread_in_cpp(self, is_over: Callable[[], bool]) -> None:
        """Adds what leads to them by references that only C++ has. Nodes mostly come before those that follow them, so a
        few passes are mostly enough."""
        leading, left_out, added = self.leading, self._left_out, self._added
        for order in _PASSES_IN_CPP:
            done = len(added)
            if done == self._settled or is_over():
                return
            sources, targets = self._found.sources, self._found.targets
            for source in compress(order(sources), map(leading.__contains__, order(targets))):
                if source not in leading and source not in left_out:
                    leading.add(source)
                    added.append(source)
            if len(added) == done:
                self._settled = done
            elif self._index_in_cpp is None:
                is_open = [source not in leading for source in sources]
                self._found.sources = list(compress(sources, is_open))
                self._found.targets = array.array("Q", compress(targets, is_open))
        if self._index_in_cpp is None:
            self._index_in_cpp = _IndexInCpp(self._found)
        while self._settled < len(added):
            self.add_all(list(self._index_in_cpp.holders(added[self._settled])))
            self._settled += 1

    def _follow(self, objects: list[Any], done: int, is_over: Callable[[], bool]) -> None:
        """Asks the holders of what was added, except for the first ones, whose holders were asked already."""
        index = _Index(objects, is_over)
        while done < len(self._added):
            self._spread_in_cpp(is_over)
            fresh = self._added[done:]
            done = len(self._added)
            for some in index.holders(fresh):
                if is_over():
                    return
                self._ask(some)

    def _ask(self, some: list[Any]) -> None:
        if self.leading.isdisjoint(map(id, gc.get_referents(*some))):
            return
        for one in some:
            if id(one) not in self.leading and self._refers_on(one):
                self.add(id(one))

    def _refers_on(self, one: Any) -> bool:
        """Whether it refers to an object that leads to GPU memory, other than as the object's class or by inheritance."""
        if self._classes.of(one).kind == "class":
            return any(id(items) in self.leading for items in gc.get_referents(read_class_dict(one)))
        own_class = id(type(one))
        if own_class in _DESCRIPTORS:
            return False
        return any(key in self.leading and key != own_class for key in map(id, gc.get_referents(one)))


class _Index:
    """The objects that may refer to one, by a part of its id. Takes some 20 bytes for each object."""

    def __init__(self, objects: list[Any], is_over: Callable[[], bool]) -> None:
        self._objects = objects
        self._mask = ((1 << max(len(objects) // 4, 1).bit_length()) - 1) << 4  # ids are multiples of 16
        self._starts: dict[int, array.array[int]] = {}
        for start in range(0, len(objects), _AT_ONCE_BY_INDEX):
            if start % 1024 == 0 and is_over():
                return
            self._add(start)

    def _add(self, start: int) -> None:
        found = gc.get_referents(*self._objects[start : start + _AT_ONCE_BY_INDEX])
        for key in set(map(self._mask.__and__, map(id, filter(gc.is_tracked, found)))):
            starts = self._starts.get(key)
            if starts is None:
                self._starts[key] = array.array("I", (start,))
            else:
                starts.append(start)

    def holders(self, ids: list[int]) -> Iterator[list[Any]]:
        """Returns a few objects at once, of which some may refer to these."""
        starts = {start for one in ids for start in self._starts.get(one & self._mask, ())}
        for start in sorted(starts):
            yield self._objects[start : start + _AT_ONCE_BY_INDEX]


class _IndexInCpp:
    """The objects that refer to one by a reference that only C++ has."""

    def __init__(self, found: Found) -> None:
        self._sources = found.sources
        self._last: dict[int, int] = {}  # number of the last reference to each target
        self._previous = array.array("q")  # number of the one before, for each reference
        for number, target in enumerate(found.targets):
            self._previous.append(self._last.get(target, -1))
            self._last[target] = number

    def holders(self, target: int) -> Iterator[int]:
        number = self._last.get(target, -1)
        while number >= 0:
            yield self._sources[number]
            number = self._previous[number]

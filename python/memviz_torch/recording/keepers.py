"""Records which variables keep GPU memory: walks over the Python heap from the variables of running functions, the globals
of modules and kept exceptions to the tensors, also through autograd's graphs. MEMVIZ_KEEPERS=0 turns it off."""

from __future__ import annotations

import array
import gc
import os
import time
from itertools import compress
from typing import Any, Iterator, Optional

from . import keepers_columns, keepers_pending, keepers_places, keepers_reach, keepers_roots, keepers_unreached, messages, pauses
from .keepers_code import CodeReader
from .keepers_columns import Columns
from .keepers_edges import References
from .keepers_found import Reference
from .keepers_frames import RunningFrame
from .keepers_memory import known_classes
from .keepers_roots import Namespace, Roots
from .keepers_storages import Storage
from .keepers_torch import TensorReader
from .keepers_types import Classes

KEY = "memviz_keepers"
_MOST_SECONDS = 30.0
_MANY = 16
# The shares of that time after which reading tensors, searching for what leads to them, and writing end.
_SHARES = (0.4, 0.75, 1.0)


def found(torch: Any) -> Optional[dict[str, Any]]:
    """Returns the facts; None where they are turned off, or torch is not the whole of torch, or the walk failed. Prints
    one line about a failure, because the program and its snapshot are more than this."""
    if os.environ.get("MEMVIZ_KEEPERS", "1") == "0":
        return None
    try:
        with pauses.without_collector():
            return _of_this_moment(torch)
    except Exception as error:
        messages.say(f"memviz: {messages.this_process()} records no keepers: {messages.reason(error)}")
        return None


def _of_this_moment(torch: Any) -> Optional[dict[str, Any]]:
    classes = Classes(known_classes(torch))
    if classes.known.tensor is None:
        return None
    objects = gc.get_objects()
    try:
        return _Walk(objects, classes, TensorReader(torch, classes)).facts()
    finally:
        objects.clear()  # it may have this very frame, and so itself


class _Walk:
    def __init__(self, objects: list[Any], classes: Classes, tensors: TensorReader) -> None:
        self._began = time.monotonic()
        self._objects = objects
        self._classes = classes
        self._tensors = tensors
        self._found = tensors.found
        self._columns = Columns(classes, tensors.found)
        self._walked = 0  # how many of the added nodes
        self._is_late = False
        self._repeated = array.array("Q")  # ids of tensors that are left out
        self._code = CodeReader()
        self._variables: list[tuple[Any, list[str]]] = []  # roots, and the names of their variables that were added

    def _is_over(self, share: float) -> bool:
        is_over = time.monotonic() - self._began > share * _MOST_SECONDS
        self._is_late |= is_over
        return is_over

    def facts(self) -> dict[str, Any]:
        roots = keepers_roots.found()
        if gc.get_freeze_count() > 0:
            self._objects.extend(keepers_reach.frozen_objects(self._objects, roots.values()))
        count = len(self._objects)
        reach = self._reach(roots)
        count += len(self._found.explored) + len(self._found.nodes) + self._found.dropped
        self._found.forget_ids()
        self._references = References(self._classes, reach.leading, roots.frame_ids, self._tensors, self._code)
        with self._tensors.undisturbed():
            for kind, root in roots.in_order():
                if kind == "local" or reach.leads(root):  # a frame also if it holds nothing: temporaries belong to its line
                    self._add_root(kind, root)
            self._walk()
            self._add_unreached(reach.leading)
        self._add_places(roots)
        del reach, roots
        return {
            "format": 1,
            "objects": count,
            "seconds": round(time.monotonic() - self._began, 3),
            "cut": self._limit(),
            "unreadable": self._found.unreadable + self._references.unreadable,
            **self._columns_alone(),
        }

    def _limit(self) -> str:
        """Returns what ended the walk before it was complete."""
        if self._is_late:
            return "time"
        return "nodes" if self._columns.is_full else "depth" if self._found.is_deep else ""

    def _columns_alone(self) -> dict[str, Any]:
        """Returns the columns, and frees all else: as lists they take more memory than before."""
        self._objects.clear()
        self._found.forget()
        self._references.forget()
        self._variables.clear()
        del self._repeated[:]
        return self._columns.take()

    def _reach(self, roots: Roots) -> keepers_reach.Reach:
        found, classes = self._found, self._classes
        of_all = keepers_reach.classes_of(self._objects)
        holders = list(keepers_reach.of_classes(self._objects, of_all, self._holds_memory))
        self._tensors.explore(holders, lambda: self._is_over(_SHARES[0]))
        for some in (found.explored.values(), found.nodes, found.others):
            self._objects.extend(some)
            of_all.update(keepers_reach.classes_of(some))
        own = set(map(id, keepers_reach.of_classes(self._objects, of_all, lambda cls: classes.of_class(cls).is_own)))
        namespaces = {id(space.items) for space in roots.namespaces}
        reach = keepers_reach.Reach(classes, own | roots.frame_ids, namespaces, found)
        reach.add_all(self._largest_holders())
        reach.spread(self._objects, lambda: self._is_over(_SHARES[1]))
        return reach

    def _largest_holders(self) -> list[int]:
        """Returns those of the most memory, so that a list of a million small tensors leaves room for others."""
        holders = list(self._found.storages.holders())
        most = keepers_columns.MOST_NODES // 2
        if len(holders) <= most:
            return holders
        repeated = self._tensors.storages_of_tensors()
        if repeated:
            holders = [holder for holder in holders if holder not in repeated]
        if len(holders) <= most:
            return holders
        self._columns.is_full = True
        return self._found.storages.largest(most, holders)

    def _holds_memory(self, cls: type) -> bool:
        facts = self._classes.of_class(cls)
        return facts.is_tensor or facts.is_graph_node or facts.is_storage

    def _add_root(self, kind: str, root: Any) -> None:
        if self._columns.add(root) >= 0:
            self._columns.root(kind, root)

    def _walk(self) -> None:
        """Adds what the added nodes refer to, and these references."""
        columns, references_of = self._columns, self._references.of
        added = columns.added  # grows meanwhile
        for number in range(self._walked, keepers_columns.MOST_NODES):
            if number >= len(added) or (number % 64 == 0 and self._is_over(_SHARES[2])):
                break
            self._walked += 1
            holder = added[number]
            references = references_of(holder)
            if not references:
                continue
            if len(references) > _MANY and not self._found.storages.are_distinct(id(one) for one, _, _ in references):
                references = list(self._without_repeated(references))
            columns.add_references(holder, references)
            if type(holder) is RunningFrame or type(holder) is Namespace:
                names = (label for value, how, label in references if how != "other_key" and columns.has_id(id(value)))
                self._variables.append((holder, list(names)))

    def _add_places(self, roots: Roots) -> None:
        """Adds the lines that set the variables of roots, and those that would. What they are is known without, so that
        this may end early."""
        try:
            for frame, variable, place in keepers_pending.found(roots.threads):
                if self._columns.has_id(id(frame)):
                    self._columns.place(frame, variable, place)
            for of_variable in keepers_places.found(self._variables, roots, self._objects, self._code):
                self._columns.place(*of_variable)
        except Exception:
            self._references.unreadable += 1

    def _without_repeated(self, references: list[Reference]) -> Iterator[Reference]:
        """Leaves out of many tensors that one object refers to those with the same memory as another of them, such as most
        views that unbind() returns."""
        known = self._found.storages
        rows: set[int] = set()
        seen: set[tuple[Storage, ...]] = set()
        for reference in references:
            key = id(reference[0])
            row = known.row(key)
            storages = () if row in rows else known.of(key)
            if (row in rows or storages) and self._references.is_only_memory(reference[0]):
                if row in rows or storages in seen:
                    self._repeated.append(key)
                    continue
                seen.add(storages)
                if row >= 0:
                    rows.add(row)
            yield reference

    def _add_unreached(self, leading: set[int]) -> None:
        """Adds what leads to memory that no root reaches."""
        has = self._columns.has_id
        wanted = {key for key in self._found.storages.holders() if key in leading and not has(key)}
        wanted.difference_update(self._repeated, self._tensors.storages_of_tensors())
        if not wanted or self._is_late or self._columns.is_full:
            return
        rest = {key for key in leading if not has(key)}
        rest.difference_update(self._repeated)
        objects = {id(one): one for one in compress(self._objects, map(rest.__contains__, map(id, self._objects)))}
        graph = {key: self._targets(one, objects) for key, one in objects.items()}
        named = {target for targets in graph.values() for target in targets}
        for key in (self._references.skipped & graph.keys()) - named:
            del graph[key]
        for kind, key in keepers_unreached.roots(keepers_unreached.leading_to(graph, wanted)):
            self._add_root(kind, objects[key])
        self._walk()

    def _targets(self, holder: Any, objects: dict[int, Any]) -> list[int]:
        return [id(value) for value, _, _ in self._references.of(holder) if id(value) in objects]

"""What was read of tensors, storages and the nodes of graphs. Flat, because there may be millions of them: the references
that only C++ has are kept as two columns of ids, and with their names only where these cannot be read again."""

from __future__ import annotations

import array
from itertools import compress
from typing import Any, Iterable, Sequence

from .keepers_storages import Storages
from .keepers_types import Classes

Reference = tuple[Any, str, Any]  # the object that is referred to, how, label
_ONLY_NONE = frozenset((id(None),))


class Found:
    """``explored`` are the tensors of which only C++ had an object, by id, and ``nodes`` such nodes. ``heights`` are by the id
    of each node that was followed: how many nodes the longest way from it leads over. ``sources`` and ``targets`` are the
    ids of all references that only C++ has."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self.storages = Storages()  # of all objects of the program that are tensors, storages or nodes, and of others
        self.explored: dict[int, Any] = {}
        self.nodes: list[Any] = []
        self.heights: dict[int, int] = {}
        self.is_deep = False  # whether a graph was left where it became too deep
        self.sources: list[int] = []  # these are ids that are kept elsewhere as well, the targets mostly are not
        self.targets = array.array("Q")
        self.bases: set[int] = set()  # ids of tensors of the program of which others are views
        self._nodes_of_program: set[int] = set()  # ids of those that were followed
        self._references: dict[int, tuple[Reference, ...]] = {}  # of nodes
        self._saved: dict[str, dict[int, Any]] = {}  # the tensor of the program that a node saves under a name
        self.hidden: dict[int, int] = {}  # how many saved tensors of a node only a hook could show
        self.others: list[Any] = []  # objects of other kinds that graphs hold
        self.pending: dict[int, Any] = {}  # tensors and nodes that are to be read, by id
        self.dropped = 0  # how many tensors were read that lead to no memory, or whose memory their node has
        self.unreadable = 0

    def of_node(self, key: int, labels: Iterable[str]) -> list[Reference]:
        """Returns what a node saves under these names, and all else that was noted of it."""
        found = list(self._references.get(key, ()))
        for label in labels:
            if label in self._saved:
                tensor = self._saved[label].get(key)
                if tensor is not None:
                    found.append((tensor, "saved", label))
        return found

    def note(self, key: int, references: Sequence[Reference]) -> None:
        """Keeps references of a node; what they lead to will be read as well."""
        for value, _, _ in references:
            facts = self.classes.of(value)
            if facts.is_tensor or facts.is_graph_node:
                self.lead([key], [value])
            else:
                self.others.append(value)
                self._add_references([key], [id(value)])
        if references:
            known = self._references.get(key)
            self._references[key] = tuple(references) if known is None else (*known, *references)

    def lead(self, keys: list[int], values: list[Any]) -> None:
        """Adds a reference from each of these to a tensor or a node, which will be read as well. Its name can be read again."""
        self.pending.update((id(value), value) for value in values if not self.is_of_program(value))
        self._add_references(keys, map(id, values))

    def lead_to_bases(self, keys: list[int], bases: list[Any]) -> None:
        """Does the same for views, as far as what they are made of is of the program. Both have one storage, so this matters
        for tensors of the program that only C++ has still."""
        ids = list(map(id, bases))
        of_program = {id(base) for base in dict(zip(ids, bases)).values() if base is not None and self.is_of_program(base)}
        if of_program:
            self.bases |= of_program
            self._add_references(*those(keys, ids, list(map(of_program.__contains__, ids))))

    def _add_references(self, keys: Iterable[int], targets: Iterable[int]) -> None:
        self.sources.extend(keys)
        self.targets.extend(targets)

    def note_saved(self, keys: list[int], tensors: list[Any], label: str) -> None:
        """Keeps that nodes save these tensors of the program."""
        self._saved.setdefault(label, {}).update(zip(keys, tensors))
        self._add_references(keys, map(id, tensors))

    def to_base(self, base: Any, label: str) -> tuple[Reference, ...]:
        """Returns the reference of a view to the tensor that it was made of, if there is one. Both have one storage, so this
        matters for tensors of the program that only C++ has still."""
        return ((base, "base", label),) if base is not None and self.is_of_program(base) else ()

    def add_node(self, key: int, node: Any) -> None:
        """Adds a node that is followed for the first time."""
        self.heights[key] = 0
        if self.storages.knows(key):
            self._nodes_of_program.add(key)
        else:
            self.nodes.append(node)

    def is_of_program(self, one: Any) -> bool:
        """Whether the garbage collector knows it: not a tensor or node of which only C++ had an object."""
        key = id(one)
        if key in self.heights:
            return key in self._nodes_of_program
        return self.storages.knows(key) and key not in self.explored

    def take_pending(self) -> dict[int, Any]:
        """Returns what is to be read now, by id."""
        fresh, self.pending = self.pending, {}
        for key in fresh.keys() & self.explored.keys():
            del fresh[key]
        return fresh

    def forget_ids(self) -> None:
        """Frees what is only needed until it is known which objects lead to memory."""
        self.sources, self.targets, self.explored, self.nodes, self.heights = [], array.array("Q"), {}, [], {}

    def forget(self) -> None:
        """Frees all but the counts."""
        self.forget_ids()
        self.storages, self._references, self._saved, self.others = Storages(), {}, {}, []


def are_none(values: Iterable[Any]) -> bool:
    return _ONLY_NONE.issuperset(map(id, values))


def those(keys: list[int], objects: list[Any], are_chosen: list[bool]) -> tuple[list[int], list[Any]]:
    """Returns the chosen ones of both."""
    if all(are_chosen):
        return keys, objects
    return list(compress(keys, are_chosen)), list(compress(objects, are_chosen))

"""What was read of tensors, storages and the nodes of graphs. Flat, because there may be millions of them: the references
that only C++ has are kept as two columns of ids, and with their names only where these cannot be read again."""

from __future__ import annotations

from itertools import compress
from typing import Any, Iterable, Sequence

from .keepers_storages import Storages
from .keepers_types import Classes

Reference = tuple[Any, str, Any]  # the object that is referred to, how, label
_ONLY_NONE = frozenset((id(None),))


class Found:
    """``explored`` are the tensors and nodes of which only C++ had an object, by id. ``sources`` and ``targets`` are the ids
    of all references that only C++ has. By name, most are kept without an object for each."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self.storages = Storages()  # of all objects of the program that are tensors, storages or nodes, and of others
        self.explored: dict[int, Any] = {}
        self.sources: list[int] = []
        self.targets: list[int] = []
        self._references: dict[int, tuple[Reference, ...]] = {}
        self._graphs: dict[int, Any] = {}  # the node of a tensor
        self._saved: dict[str, dict[int, Any]] = {}  # the tensor of the program that a node saves under a name
        self.hidden: dict[int, int] = {}  # how many saved tensors of a node only a hook could show
        self.others: list[Any] = []  # objects of other kinds that graphs hold
        self.pending: dict[int, Any] = {}  # tensors and nodes that are to be read, by id
        self.dropped = 0  # how many tensors were read that lead to no memory, or whose memory their node has
        self.unreadable = 0

    def of_tensor(self, key: int) -> Sequence[Reference]:
        """Returns the references of a tensor."""
        node = self._graphs.get(key)
        return self._references.get(key, ()) if node is None else ((node, "grad_fn", ""),)

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
        """Keeps references of an object; what they lead to will be read as well."""
        for value, _, _ in references:
            facts = self.classes.of(value)
            if not (facts.is_tensor or facts.is_graph_node):
                self.others.append(value)
            elif not self.is_of_program(value):
                self.pending[id(value)] = value
            self.sources.append(key)
            self.targets.append(id(value))
        if references:
            known = self._references.get(key)
            self._references[key] = tuple(references) if known is None else (*known, *references)

    def note_view(self, key: int, to_base: tuple[Reference, ...]) -> None:
        """Does the same for a tensor that leads to its base alone, in a fraction of the time: there may be many."""
        self._references[key] = to_base
        self.sources.append(key)
        self.targets.append(id(to_base[0][0]))

    def note_graphs(self, keys: list[int], nodes: list[Any]) -> None:
        """Does the same for tensors that lead to their graphs alone."""
        ids = list(map(id, nodes))
        self._graphs.update(zip(keys, nodes))
        self.pending.update((key, node) for key, node in zip(ids, nodes) if not self.is_of_program(node))
        self.sources.extend(keys)
        self.targets.extend(ids)

    def note_saved(self, keys: list[int], tensors: list[Any], label: str) -> None:
        """Keeps that nodes save these tensors of the program."""
        self._saved.setdefault(label, {}).update(zip(keys, tensors))
        self.sources.extend(keys)
        self.targets.extend(map(id, tensors))

    def to_base(self, base: Any, label: str) -> tuple[Reference, ...]:
        """Returns the reference of a view to the tensor that it was made of, if there is one. Both have one storage, so this
        matters for tensors of the program that only C++ has still."""
        return ((base, "base", label),) if base is not None and self.is_of_program(base) else ()

    def is_of_program(self, one: Any) -> bool:
        """Whether the garbage collector knows it: not a tensor or node of which only C++ had an object."""
        return self.storages.knows(id(one)) and id(one) not in self.explored

    def take_pending(self) -> dict[int, Any]:
        """Returns what is to be read now, by id."""
        fresh, self.pending = self.pending, {}
        for key in fresh.keys() & self.explored.keys():
            del fresh[key]
        return fresh

    def forget_ids(self) -> None:
        """Frees what is only needed until it is known which objects lead to memory."""
        self.sources, self.targets, self.explored = [], [], {}


def are_none(values: Iterable[Any]) -> bool:
    return _ONLY_NONE.issuperset(map(id, values))


def those(keys: list[int], objects: list[Any], are_chosen: list[bool]) -> tuple[list[int], list[Any]]:
    """Returns the chosen ones of both."""
    if all(are_chosen):
        return keys, objects
    return list(compress(keys, are_chosen)), list(compress(objects, are_chosen))

"""Follows the references that only C++ has: from a tensor to its gradient and its graph, and from there to what the
graph saves. Runs no code of the program."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, NamedTuple

from .keepers_graph import GraphReader, Saved
from .keepers_memory import MemoryReader, Storage
from .keepers_types import Classes, Facts


class Reference(NamedTuple):
    value: Any
    how: str
    label: Any = ""


class TensorReader:
    """Reads what tensors, storages and nodes of graphs hold. ``explored`` are those that were read, by id."""

    def __init__(self, torch: Any, classes: Classes) -> None:
        self._torch = torch
        self._classes = classes
        self._memory = MemoryReader(torch, classes)
        self._graph = GraphReader()
        self._ids_of_program: set[int] = set()
        self.explored: dict[int, Any] = {}
        self.references: dict[int, list[Reference]] = {}
        self.storages: dict[int, tuple[Storage, ...]] = {}
        self._shared: dict[tuple[Storage, ...], tuple[Storage, ...]] = {}  # of which views have the same
        self.hidden: dict[int, int] = {}  # how many saved tensors of a node only a hook could show
        self.others: list[Any] = []  # objects of other kinds that graphs hold
        self.unreadable = 0

    def explore(self, found: list[Any], is_over: Callable[[], bool]) -> None:
        """Reads these objects, and all tensors and nodes that they hold."""
        self._ids_of_program = set(map(id, found))
        pending = found[::-1]
        with self._undisturbed():
            while pending:
                if len(self.explored) % 256 == 0 and is_over():
                    return
                one = pending.pop()
                if id(one) in self.explored:
                    continue
                self.explored[id(one)] = one
                for reference in self._read(one):
                    self.references.setdefault(id(one), []).append(reference)
                    facts = self._classes.of(reference.value)
                    (pending if facts.is_tensor or facts.is_graph_node else self.others).append(reference.value)

    @contextlib.contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Keeps the classes and modes of the program out of what is asked of tensors."""
        with self._torch._C.DisableTorchFunction(), self._torch._C._DisableTorchDispatch(), self._torch.no_grad():
            yield

    def _read(self, one: Any) -> list[Reference]:
        facts = self._classes.of(one)
        found: list[Reference] = []
        try:
            if facts.is_graph_node:
                found.extend(self._of_node(one))
            elif facts.is_storage:
                storage = self._memory.of_storage(one)
                self._add_storages(one, [] if storage is None else [storage])
            else:
                self._add_storages(one, self._memory.of_tensor(one, facts))
                found.extend(self._of_tensor(one))
        except Exception:
            self.unreadable += 1
        return found

    def _of_tensor(self, tensor: Any) -> Iterator[Reference]:
        field = self._memory.field
        node = field(tensor, "grad_fn")
        if node is not None:
            yield Reference(node, "grad_fn")
        if field(tensor, "is_leaf") or field(tensor, "retains_grad"):  # else torch warns
            gradient = field(tensor, "grad")
            if gradient is not None:
                yield Reference(gradient, "grad")
        yield from self._of_view(tensor)

    def _of_view(self, tensor: Any, label: str = "") -> Iterator[Reference]:
        """A view keeps the tensor that it was made of. Both have one storage, so this matters for tensors of the program
        that only C++ has still."""
        base = self._memory.field(tensor, "_base")
        if base is not None and id(base) in self._ids_of_program:
            yield Reference(base, "base", label)

    def _of_node(self, node: Any) -> Iterator[Reference]:
        for saved in self._graph.saved(node):
            if saved.is_hidden:
                self.hidden[id(node)] = self.hidden.get(id(node), 0) + 1
            if saved.data is not None:
                yield from self._of_saved(node, saved)
        variable = self._graph.variable(node)
        if variable is not None:
            yield Reference(variable, "saved", "variable")
        yield from (Reference(one, "next") for one in self._graph.following(node))

    def _of_saved(self, node: Any, saved: Saved) -> Iterator[Reference]:
        """A tensor that only the graph has is not written as an object: the node has its memory."""
        facts = self._classes.of(saved.data)
        storages = self._memory.of_tensor(saved.data, facts) if self._is_of_graph_alone(saved, facts) else []
        if storages:
            self._add_storages(node, storages)
            yield from self._of_view(saved.data, saved.label)
        else:
            yield Reference(saved.data, "saved", saved.label)

    def _is_of_graph_alone(self, saved: Saved, facts: Facts) -> bool:
        if saved.is_hidden or not facts.is_tensor or facts.overrides_dispatch:
            return False
        return id(saved.data) not in self._ids_of_program

    def _add_storages(self, holder: Any, storages: list[Storage]) -> None:
        if storages:
            found = (*self.storages.get(id(holder), ()), *storages)
            if len(found) > 1:
                found = tuple(dict.fromkeys(found))
            self.storages[id(holder)] = self._shared.setdefault(found, found)

    def storages_of_tensors(self) -> set[int]:
        """Returns the ids of storage objects whose memory a tensor has as well: PyTorch makes such an object for whoever
        asks a tensor for it, and keeps it with the memory."""
        known: set[Storage] = set()
        objects = []
        for key, storages in self.storages.items():
            if self._classes.of(self.explored[key]).is_storage:
                objects.append(key)
            else:
                known.update(storages)
        return {key for key in objects if known.issuperset(self.storages[key])}

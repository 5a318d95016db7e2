"""Follows the references that only C++ has: from a tensor to its gradient and its graph, and from there to what the
graph saves. Runs no code of the program."""

from __future__ import annotations

import contextlib
from itertools import compress
from typing import Any, Callable, Iterator, Optional

from .keepers_graph import GraphReader, Saved
from .keepers_memory import MemoryReader
from .keepers_storages import Storage, Storages
from .keepers_types import Classes, Facts


Reference = tuple[Any, str, Any]  # the object that is referred to, how, label
_AT_ONCE = 256


class TensorReader:
    """Reads what tensors, storages and nodes of graphs hold. ``explored`` are those that were read besides the objects that
    explore() was given, by id."""

    def __init__(self, torch: Any, classes: Classes) -> None:
        self._torch = torch
        self._classes = classes
        self._memory = MemoryReader(torch, classes)
        self._graph = GraphReader()
        self.explored: dict[int, Any] = {}
        self.references: dict[int, list[Reference]] = {}
        self.storages = Storages()  # of all objects of the program that are tensors, storages or nodes, and of others
        self._storage_objects: set[int] = set()  # ids
        self._repeated_objects: Optional[set[int]] = None
        self.hidden: dict[int, int] = {}  # how many saved tensors of a node only a hook could show
        self.others: list[Any] = []  # objects of other kinds that graphs hold
        self.unreadable = 0

    def explore(self, found: list[Any], is_over: Callable[[], bool]) -> None:
        """Reads these objects, and all tensors and nodes that they hold."""
        ids = list(map(id, found))
        self.storages.add_objects(ids)
        pending: list[Any] = []
        with self._undisturbed():
            for start in range(0, len(found), _AT_ONCE):
                if is_over():
                    return
                some = slice(start, start + _AT_ONCE)
                self._read_all(found[some], ids[some], pending)
            while pending:
                if len(self.explored) % _AT_ONCE == 0 and is_over():
                    return
                one = pending.pop()
                if id(one) not in self.explored:
                    self.explored[id(one)] = one
                    self._read(one, pending)

    def _read_all(self, some: list[Any], ids: list[int], pending: list[Any]) -> None:
        """Reads most of them together, which takes a fraction of the time."""
        classes = list(map(type, some))
        facts_of = {key: self._classes.of_class(cls) for key, cls in dict(zip(map(id, classes), classes)).items()}
        plain_classes = {key for key, facts in facts_of.items() if facts.is_tensor and not facts.overrides_dispatch}
        storage_classes = {key for key, facts in facts_of.items() if facts.is_storage}
        is_plain = list(map(plain_classes.__contains__, map(id, classes)))
        is_storage = list(map(storage_classes.__contains__, map(id, classes)))
        plain, keys = (some, ids) if all(is_plain) else (list(compress(some, is_plain)), list(compress(ids, is_plain)))
        try:
            self._memory.add_plain_tensors(keys, plain, self.storages)
            if any(is_storage):
                self._add_storage_objects(list(compress(ids, is_storage)), list(compress(some, is_storage)))
            has_graphs = self._memory.have_graphs(plain)
            others = [] if has_graphs else list(self._memory.gradients_and_bases(plain))
        except Exception:  # one of them is sparse, or has not all of these fields
            for one in some:
                self._read(one, pending)
            return
        if has_graphs:
            for one in plain:
                self._read_references(one, pending)
        else:
            self._note_gradients_and_bases(keys, others, pending)
        if len(plain_classes) + len(storage_classes) < len(facts_of):
            for one, is_read in zip(some, map((plain_classes | storage_classes).__contains__, map(id, classes))):
                if not is_read:
                    self._read(one, pending)

    def _add_storage_objects(self, keys: list[int], objects: list[Any]) -> None:
        self._memory.add_storages(keys, objects, self.storages)
        self._storage_objects.update(keys)

    def _note_gradients_and_bases(self, keys: list[int], others: list[tuple[Any, Any]], pending: list[Any]) -> None:
        bases: dict[int, list[Reference]] = {}
        for key, (gradient, base) in zip(keys, others):
            if base is not None:  # many tensors may be views of one
                known = bases.get(id(base))
                if known is None:
                    known = bases[id(base)] = [(base, "base", "")] if self._is_of_program(base) else []
                if known:
                    self.references[key] = known
            if gradient is not None:
                self._note(key, [(gradient, "grad", "grad"), *self.references.get(key, ())], pending)

    def _read(self, one: Any, pending: list[Any]) -> None:
        facts = self._classes.of(one)
        try:
            if facts.is_storage:
                storage = self._memory.of_storage(one)
                self._add_storages(one, [] if storage is None else [storage])
                self._storage_objects.add(id(one))
                return
            if not facts.is_graph_node:
                self._add_storages(one, self._memory.of_tensor(one, facts))
        except Exception:
            self.unreadable += 1
            return
        self._read_references(one, pending)

    def _read_references(self, one: Any, pending: list[Any]) -> None:
        found: list[Reference] = []
        try:
            found.extend(self._of_node(one) if self._classes.of(one).is_graph_node else self._of_tensor(one))
        except Exception:
            self.unreadable += 1
        self._note(id(one), found, pending)

    def _note(self, key: int, found: list[Reference], pending: list[Any]) -> None:
        """Keeps the references of an object; what they lead to will be read as well."""
        for value, _, _ in found:
            facts = self._classes.of(value)
            if not (facts.is_tensor or facts.is_graph_node):
                self.others.append(value)
            elif not self._is_of_program(value):
                pending.append(value)
        if found:
            self.references[key] = found

    @contextlib.contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Keeps the classes and modes of the program out of what is asked of tensors."""
        with self._torch._C.DisableTorchFunction(), self._torch._C._DisableTorchDispatch(), self._torch.no_grad():
            yield

    def _of_tensor(self, tensor: Any) -> Iterator[Reference]:
        field = self._memory.field
        node = field(tensor, "grad_fn")
        if node is not None:
            yield node, "grad_fn", ""
        if field(tensor, "is_leaf") or field(tensor, "retains_grad"):  # else torch warns
            gradient = field(tensor, "grad")
            if gradient is not None:
                yield gradient, "grad", "grad"
        yield from self._of_view(tensor)

    def _of_view(self, tensor: Any, label: str = "") -> Iterator[Reference]:
        """A view keeps the tensor that it was made of. Both have one storage, so this matters for tensors of the program
        that only C++ has still."""
        base = self._memory.field(tensor, "_base")
        if base is not None and self._is_of_program(base):
            yield base, "base", label

    def _of_node(self, node: Any) -> Iterator[Reference]:
        for saved in self._graph.saved(node):
            if saved.is_hidden:
                self.hidden[id(node)] = self.hidden.get(id(node), 0) + 1
            if saved.hook is not None:  # that of a checkpoint refers to what the checkpoint has chosen to keep
                yield saved.hook, "saved", f"{saved.label} hook"
            if saved.data is not None:
                yield from self._of_saved(node, saved)
        variable = self._graph.variable(node)
        if variable is not None:
            yield variable, "saved", "variable"
        yield from ((one, "next", "") for one in self._graph.following(node))

    def _of_saved(self, node: Any, saved: Saved) -> Iterator[Reference]:
        """A tensor that only the graph has is not written as an object: the node has its memory."""
        facts = self._classes.of(saved.data)
        storages = self._memory.of_tensor(saved.data, facts) if self._is_of_graph_alone(saved, facts) else []
        if storages:
            self._add_storages(node, storages)
            yield from self._of_view(saved.data, saved.label)
        else:
            yield saved.data, "saved", saved.label

    def _is_of_graph_alone(self, saved: Saved, facts: Facts) -> bool:
        if saved.is_hidden or not facts.is_tensor or facts.overrides_dispatch:
            return False
        return not self._is_of_program(saved.data)

    def _is_of_program(self, one: Any) -> bool:
        """Whether the garbage collector knows it: not a tensor or node of which only C++ had an object."""
        return self.storages.knows(id(one)) and id(one) not in self.explored

    def _add_storages(self, holder: Any, storages: list[Storage]) -> None:
        self.storages.add(id(holder), storages)

    def storages_of_tensors(self) -> set[int]:
        """Returns the ids of storage objects whose memory a tensor has as well: PyTorch makes such an object for whoever
        asks a tensor for it, and keeps it with the memory."""
        if self._repeated_objects is None:
            self._repeated_objects = self.storages.repeated(self._storage_objects) if self._storage_objects else set()
        return self._repeated_objects

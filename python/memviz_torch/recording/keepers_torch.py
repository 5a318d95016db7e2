"""Follows the references that only C++ has: from a tensor to its gradient and its graph, and from there to what the
graph saves. Runs no code of the program."""

from __future__ import annotations

import contextlib
from itertools import compress
from typing import Any, Callable, Iterator, Optional

from .keepers_found import Found, Reference, are_none, those
from .keepers_memory import MemoryReader
from .keepers_nodes import NodeReader
from .keepers_types import Classes, Facts

_AT_ONCE = 256


class TensorReader:
    """Reads what tensors, storages and nodes of graphs hold."""

    def __init__(self, torch: Any, classes: Classes) -> None:
        self._torch = torch
        self._classes = classes
        self.found = Found(classes)
        self._memory = MemoryReader(torch, classes)
        self.nodes = NodeReader(self._memory, self.found)
        self._storage_objects: set[int] = set()  # ids
        self._repeated_objects: Optional[set[int]] = None

    def explore(self, objects: list[Any], is_over: Callable[[], bool]) -> None:
        """Reads these objects, and all tensors and nodes that they hold."""
        ids = list(map(id, objects))
        self.found.storages.add_objects(ids)
        with self.undisturbed():
            self._read(ids, objects, is_over)
            while self.found.pending and not is_over():
                fresh = self.found.take_pending()
                tensors = ((key, one) for key, one in fresh.items() if not self._classes.of(one).is_graph_node)
                self.found.explored.update(tensors)  # nodes follow where they are read
                self._read(list(fresh), list(fresh.values()), is_over)

    def _read(self, ids: list[int], objects: list[Any], is_over: Callable[[], bool]) -> None:
        nodes: dict[int, Any] = {}
        for start in range(0, len(objects), _AT_ONCE):
            if is_over():
                return
            some = slice(start, start + _AT_ONCE)
            self._read_some(objects[some], ids[some], nodes)
        self.nodes.read(nodes, is_over)

    def _read_some(self, some: list[Any], ids: list[int], nodes: dict[int, Any]) -> None:
        """Reads most of them together, which takes a fraction of the time. Nodes are only added to the others."""
        classes = list(map(type, some))
        facts_of = {key: self._classes.of_class(cls) for key, cls in dict(zip(map(id, classes), classes)).items()}
        plain_classes = {key for key, facts in facts_of.items() if facts.is_tensor and not facts.overrides_dispatch}
        storage_classes = {key for key, facts in facts_of.items() if facts.is_storage}
        is_plain = list(map(plain_classes.__contains__, map(id, classes)))
        is_storage = list(map(storage_classes.__contains__, map(id, classes)))
        try:
            self._read_plain_tensors(*those(ids, some, is_plain))
            if any(is_storage):
                self._read_storages(*those(ids, some, is_storage))
        except Exception:  # one of them is sparse, or has not all of these fields
            plain_classes, storage_classes = set(), set()
        if len(plain_classes) + len(storage_classes) < len(facts_of):
            for key, one, of_class in zip(ids, some, map(id, classes)):
                if facts_of[of_class].is_graph_node:
                    nodes[key] = one
                elif of_class not in plain_classes and of_class not in storage_classes:
                    self._read_one(one, facts_of[of_class])

    def _read_plain_tensors(self, keys: list[int], tensors: list[Any]) -> None:
        """Raises before it adds anything, if one of these is sparse or has no storage."""
        rows = self._memory.rows_of_plain_tensors(tensors, self.found.storages)
        self._read_references(keys, tensors)
        self.found.storages.give(keys, rows)

    def _read_references(self, keys: list[int], tensors: list[Any]) -> None:
        """Raises before it adds anything."""
        graphs = self._memory.graphs(tensors)
        has_graph = [node is not None for node in graphs]
        others, without = those(keys, tensors, [not one for one in has_graph])
        gradients, bases = self._memory.gradients(without), self._memory.bases(tensors)
        some, with_graph = those(keys, tensors, has_graph)
        retained = self._memory.retained_gradients(with_graph)
        self.found.lead(some, list(compress(graphs, has_graph)))
        for with_gradient, values in ((some, retained), (others, gradients)):
            if not are_none(values):
                self.found.lead(*those(with_gradient, values, [one is not None for one in values]))
        self.found.lead_to_bases(keys, bases)

    def _read_storages(self, keys: list[int], storages: list[Any]) -> None:
        self._memory.add_storages(keys, storages, self.found.storages)
        self._storage_objects.update(keys)

    def _read_one(self, one: Any, facts: Facts) -> None:
        """Reads a tensor or a storage."""
        try:
            if facts.is_storage:
                self._read_storages([id(one)], [one])
                return
            self.found.storages.add(id(one), self._memory.of_tensor(one, facts))
            self._read_references([id(one)], [one])
        except Exception:
            self.found.unreadable += 1

    @contextlib.contextmanager
    def undisturbed(self) -> Iterator[None]:
        """Keeps the classes and modes of the program out of what is asked of tensors."""
        with self._torch._C.DisableTorchFunction(), self._torch._C._DisableTorchDispatch(), self._torch.no_grad():
            yield

    def references_of(self, tensor: Any) -> list[Reference]:
        """Returns the references of a tensor that was read. They are read again, because that takes less memory than to keep
        them. Takes undisturbed()."""
        found: list[Reference] = []
        try:
            memory = self._memory
            node = memory.graph(tensor)
            gradient = memory.gradient(tensor) if node is None or memory.retains_gradient(tensor) else None
            base = memory.base(tensor)
        except Exception:  # one that could not be read before
            return found
        if node is not None:
            found.append((node, "grad_fn", ""))
        if gradient is not None:
            found.append((gradient, "grad", "grad"))
        if base is not None and id(base) in self.found.bases:
            found.append((base, "base", ""))
        return found

    def storages_of_tensors(self) -> set[int]:
        """Returns the ids of storage objects whose memory a tensor has as well: PyTorch makes such an object for whoever
        asks a tensor for it, and keeps it with the memory."""
        if self._repeated_objects is None:
            self._repeated_objects = self.found.storages.repeated(self._storage_objects) if self._storage_objects else set()
        return self._repeated_objects

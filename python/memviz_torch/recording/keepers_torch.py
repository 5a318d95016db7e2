"""Reads tensors and autograd's graphs: which GPU memory they hold, and what they refer to in C++. Runs no hook of the
program and no __torch_function__ or __torch_dispatch__, and allocates nothing on the GPU."""

from __future__ import annotations

import contextlib
import types
from typing import Any, Callable, Iterator, NamedTuple, Optional

from .keepers_types import Classes, Facts, KnownClasses, class_items

Storage = tuple[int, int, int]  # device, address, bytes
_RAW = "_raw_saved_"


class Reference(NamedTuple):
    value: Any
    how: str
    label: Any = ""


def known_classes(torch: Any) -> KnownClasses:
    """Returns torch's classes; none of them where this is not the whole of torch."""
    try:
        base = getattr(torch._C, "TensorBase", None) or torch._C._TensorBase
        return KnownClasses(
            base, torch.Tensor, torch.nn.Parameter, torch._C.StorageBase, torch.nn.Module, torch.optim.Optimizer
        )
    except AttributeError:
        return KnownClasses()


class TensorReader:
    """What a tensor, a storage or a node of a graph holds. ``explored`` are those that were read, by id."""

    def __init__(self, torch: Any, classes: Classes) -> None:
        self._torch = torch
        self._classes = classes
        self._fields = _fields_of(classes.known.base_of_tensors)
        self._storage_fields = _fields_of(classes.known.storage)
        self._parts_of_nodes: dict[int, _NodeFields] = {}
        self._tensor_ids: set[int] = set()
        self.explored: dict[int, Any] = {}
        self.references: dict[int, list[Reference]] = {}
        self.storages: dict[int, list[Storage]] = {}
        self.hidden: dict[int, int] = {}  # saved tensors of a node that only a hook could show
        self.others: list[Any] = []  # objects of other kinds that tensors and graphs hold in C++
        self.unreadable = 0

    def explore(self, found: list[Any], is_over: Callable[[], bool]) -> None:
        """Reads these objects, and all tensors and nodes that they hold."""
        self._tensor_ids = set(map(id, found))
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
                self._add_storage(one, self._of_storage(one))
            else:
                self._add_storages_of(one, facts, one)
                found.extend(self._of_tensor(one, facts))
        except Exception:
            self.unreadable += 1
        return found

    def _field(self, tensor: Any, name: str) -> Any:
        return self._fields[name].__get__(tensor)

    def _of_tensor(self, tensor: Any, facts: Facts) -> Iterator[Reference]:
        node = self._field(tensor, "grad_fn")
        if node is not None:
            yield Reference(node, "grad_fn")
        if self._field(tensor, "is_leaf") or self._field(tensor, "retains_grad"):  # else torch warns
            gradient = self._field(tensor, "grad")
            if gradient is not None:
                yield Reference(gradient, "grad")
        yield from self._of_view(tensor, facts, "")

    def _of_view(self, tensor: Any, facts: Facts, label: str) -> Iterator[Reference]:
        """A view keeps the tensor that it was made of, also where only C++ has that one still."""
        base = self._field(tensor, "_base")
        if base is not None and id(base) in self._tensor_ids:
            yield Reference(base, "base", label)

    def _add_storages_of(self, holder: Any, facts: Facts, tensor: Any) -> bool:
        """Notes the GPU memory of a tensor as held by an object; returns whether it has memory of its own."""
        if not facts.overrides_dispatch:  # a class with its own may also have its own answers to these questions
            if not self._field(tensor, "is_cuda"):
                return False
            for part in self._sparse_parts(tensor):
                self._add_storage(holder, self._of_storage(self._fields["untyped_storage"](part), part))
        try:
            storage = self._fields["untyped_storage"](tensor)
        except Exception:  # of sparse tensors, and of tensors made of others
            return False
        self._add_storage(holder, self._of_storage(storage, tensor))
        return True

    def _sparse_parts(self, tensor: Any) -> list[Any]:
        names = _PARTS.get(str(self._field(tensor, "layout")), ())
        return [self._fields[name](tensor) for name in names]

    def _of_storage(self, storage: Any, tensor: Any = None) -> Optional[Storage]:
        fields = self._storage_fields
        device = fields["device"].__get__(storage)
        size = fields["nbytes"](storage) if device.type == "cuda" else 0
        if not size:
            return None
        address = self._address(storage, tensor)
        return (device.index or 0, address, size) if address else None

    def _address(self, storage: Any, tensor: Any) -> int:
        """Returns it without making a copy of memory that is shared until it is written to."""
        if tensor is not None and hasattr(self._torch._C, "_data_address"):
            return int(self._torch._C._data_address(tensor))
        return int(self._storage_fields["data_ptr"](storage))

    def _add_storage(self, holder: Any, storage: Optional[Storage]) -> None:
        if storage is not None:
            kept = self.storages.setdefault(id(holder), [])
            if storage not in kept:
                kept.append(storage)

    def _of_node(self, node: Any) -> Iterator[Reference]:
        fields = self._node_fields(type(node))
        for label, read in fields.saved:
            try:
                saved = read(node)
            except Exception:  # freed, once the backward pass is over
                continue
            for one in saved if type(saved) is tuple else (saved,):
                yield from self._of_saved(node, one, label)
        if fields.variable is not None:
            variable = fields.variable(node)
            if variable is not None:
                yield Reference(variable, "saved", "variable")
        for following in fields.next_functions(node):
            if following[0] is not None:
                yield Reference(following[0], "next")

    def _of_saved(self, node: Any, saved: Any, label: str) -> Iterator[Reference]:
        fields = self._saved_fields(type(saved))
        if fields is None:
            self.hidden[id(node)] = self.hidden.get(id(node), 0) + 1
            return
        read_hook, read_data = fields
        is_hidden = read_hook(saved) is not None
        if is_hidden:
            self.hidden[id(node)] = self.hidden.get(id(node), 0) + 1
        data = read_data(saved)  # where there is a hook, what the other hook has made of the tensor
        if data is None:
            return
        facts = self._classes.of(data)
        is_known = is_hidden or id(data) in self._tensor_ids or not facts.is_tensor or facts.overrides_dispatch
        if is_known or not self._add_storages_of(node, facts, data):
            yield Reference(data, "saved", label)
        else:
            yield from self._of_view(data, facts, label)

    def _saved_fields(self, cls: type) -> Optional[tuple[Any, Any]]:
        """Returns the readers of a saved tensor's hook and data; before PyTorch 2.7 it has none that run no hook."""
        items = class_items(cls)
        if type(items.get("data")) is not property or type(items.get("unpack_hook")) is not property:
            return None
        return items["unpack_hook"].fget, items["data"].fget

    def _node_fields(self, cls: type) -> _NodeFields:
        fields = self._parts_of_nodes.get(id(cls))
        if fields is None:
            fields = self._parts_of_nodes[id(cls)] = _node_fields(cls)
        return fields


_PARTS = {
    "torch.sparse_coo": ("_indices", "_values"),
    "torch.sparse_csr": ("crow_indices", "col_indices", "values"),
    "torch.sparse_bsr": ("crow_indices", "col_indices", "values"),
    "torch.sparse_csc": ("ccol_indices", "row_indices", "values"),
    "torch.sparse_bsc": ("ccol_indices", "row_indices", "values"),
}


def _fields_of(cls: Optional[type]) -> dict[str, Any]:
    return class_items(cls) if cls is not None else {}


class _NodeFields(NamedTuple):
    saved: tuple[tuple[str, Any], ...]
    variable: Any
    next_functions: Any


def _node_fields(cls: type) -> _NodeFields:
    found: dict[str, Any] = {}
    for base in type.__dict__["__mro__"].__get__(cls):
        for name, value in class_items(base).items():
            if type(value) is types.GetSetDescriptorType:
                found.setdefault(name, value.__get__)
    saved = tuple((name[len(_RAW) :], read) for name, read in found.items() if name.startswith(_RAW))
    return _NodeFields(saved, found.get("variable"), found["next_functions"])

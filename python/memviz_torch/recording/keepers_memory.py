"""Reads which GPU memory a tensor or a storage has. Runs no __torch_function__ or __torch_dispatch__, and allocates
nothing."""

from __future__ import annotations

from itertools import compress
from typing import Any, Iterable, Optional

from .keepers_storages import Storage, Storages
from .keepers_types import Classes, Facts, KnownClasses, class_items
from .tensors import PARTS_OF_SPARSE

_ONLY_NONE = frozenset((id(None),))


def known_classes(torch: Any) -> KnownClasses:
    """Returns torch's classes; none of them where this is not the whole of torch."""
    try:
        base = getattr(torch._C, "TensorBase", None) or torch._C._TensorBase
        return KnownClasses(
            base, torch.Tensor, torch.nn.Parameter, torch._C.StorageBase, torch.nn.Module, torch.optim.Optimizer
        )
    except AttributeError:
        return KnownClasses()


class MemoryReader:
    """Asks the classes in C++ for fields, never the object, whose class may answer with code of the program."""

    def __init__(self, torch: Any, classes: Classes) -> None:
        self._torch = torch
        self._tensor_fields = class_items(classes.known.base_of_tensors) if classes.known.base_of_tensors else {}
        self._storage_fields = class_items(classes.known.storage) if classes.known.storage else {}
        self._rows: dict[int, int] = {}  # of the storages of the last tensors, by id: many may be views of one
        self._kept: list[Any] = []

    def field(self, tensor: Any, name: str) -> Any:
        return self._tensor_fields[name].__get__(tensor)

    def of_tensor(self, tensor: Any, facts: Facts) -> list[Storage]:
        """Returns nothing for a tensor that is made of others: these are found separately."""
        found = []
        if not facts.overrides_dispatch:  # a class that does may answer these questions with code of the program
            if not self.field(tensor, "is_cuda"):
                return []
            for name in PARTS_OF_SPARSE.get(str(self.field(tensor, "layout")), ()):
                part = self._tensor_fields[name](tensor)
                found.append(self.of_storage(self._tensor_fields["untyped_storage"](part), part))
        if not found:
            try:
                found.append(self.of_storage(self._tensor_fields["untyped_storage"](tensor), tensor))
            except (RuntimeError, NotImplementedError):  # it has none
                pass
        return [storage for storage in found if storage is not None]

    def add_plain_tensors(self, keys: list[int], tensors: list[Any], found: Storages) -> None:
        """Adds what of_tensor() returns for each of these, whose classes must not override dispatch. Raises if one is sparse
        or has no storage."""
        fields = self._tensor_fields
        layouts = {id(layout): layout for layout in map(fields["layout"].__get__, tensors)}
        if any(str(layout) in PARTS_OF_SPARSE for layout in layouts.values()):
            raise NotImplementedError("a sparse tensor")
        is_on_gpu = list(map(fields["is_cuda"].__get__, tensors))
        if not all(is_on_gpu):
            tensors, keys = list(compress(tensors, is_on_gpu)), list(compress(keys, is_on_gpu))
        objects = list(map(fields["untyped_storage"], tensors))
        ids = list(map(id, objects))
        fresh = dict(zip(ids, zip(objects, tensors)))
        rows = {key: self._rows[key] for key in fresh.keys() & self._rows.keys()}
        for key in rows:
            del fresh[key]
        address_of = getattr(self._torch._C, "_data_address", None)
        if address_of is None:
            addresses = map(self._storage_fields["data_ptr"], [one for one, _ in fresh.values()])
        else:  # makes no copy of memory that is shared until it is written to
            addresses = map(address_of, [tensor for _, tensor in fresh.values()])
        rows.update(self._added(dict(zip(fresh, [one for one, _ in fresh.values()])), addresses, found))
        found.give(keys, map(rows.__getitem__, ids))
        self._rows, self._kept = rows, objects

    def add_storages(self, keys: list[int], storages: list[Any], found: Storages) -> None:
        """Adds the memory of objects that are storages of the program."""
        rows = self._added(dict(zip(keys, storages)), map(self._storage_fields["data_ptr"], storages), found)
        found.give(keys, map(rows.__getitem__, keys))

    def _added(self, storages: dict[int, Any], addresses: Iterable[int], found: Storages) -> dict[int, int]:
        """Returns the numbers of storages that are added, negative for those without memory on a GPU."""
        values = storages.values()
        sizes = list(map(self._storage_fields["nbytes"], values))
        devices = list(map(self._storage_fields["device"].__get__, values))
        places = list(addresses)
        is_there = [bool(size and place) and one.type == "cuda" for size, place, one in zip(sizes, places, devices)]
        if not all(is_there):
            sizes, places, devices = (list(compress(column, is_there)) for column in (sizes, places, devices))
        fresh = iter(found.add_rows([one.index or 0 for one in devices], places, sizes))
        return {key: next(fresh) if is_one else -1 for key, is_one in zip(storages, is_there)}

    def have_graphs(self, tensors: list[Any]) -> bool:
        """Whether one of them has a graph."""
        return not _ONLY_NONE.issuperset(map(id, map(self._tensor_fields["grad_fn"].__get__, tensors)))

    def gradients_and_bases(self, tensors: list[Any]) -> Iterable[tuple[Any, Any]]:
        """Returns for each tensor, which must have no graph, its gradient and the tensor of which it is a view, if any."""
        return zip(*(map(self._tensor_fields[name].__get__, tensors) for name in ("grad", "_base")))

    def of_storage(self, storage: Any, tensor: Any = None) -> Optional[Storage]:
        fields = self._storage_fields
        device = fields["device"].__get__(storage)
        size = fields["nbytes"](storage) if device.type == "cuda" else 0
        address = self._address(storage, tensor) if size else 0
        return (device.index or 0, address, size) if address else None

    def _address(self, storage: Any, tensor: Any) -> int:
        """Returns it without making a copy of memory that is shared until it is written to."""
        if tensor is not None and hasattr(self._torch._C, "_data_address"):
            return int(self._torch._C._data_address(tensor))
        return int(self._storage_fields["data_ptr"](storage))

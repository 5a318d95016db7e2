"""Reads which GPU memory a tensor or a storage has. Runs no __torch_function__ or __torch_dispatch__, and allocates
nothing."""

from __future__ import annotations

from itertools import compress
from typing import Any, Iterable, Optional

from .keepers_found import are_none
from .keepers_storages import Storage, Storages
from .keepers_types import Classes, Facts, KnownClasses, class_items
from .tensors import PARTS_OF_SPARSE

_Place = tuple[int, int]  # of a storage: device, address
_NO_MEMORY = -1


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
        self._tensor_fields = class_items(classes.known.base_of_tensors) if classes.known.base_of_tensors else {}
        names = ("grad_fn", "grad", "retains_grad", "_base")  # the second takes a tensor without a graph, or one that retains it
        self.graph, self.gradient, self.retains_gradient, self.base = (self._tensor_fields[name].__get__ for name in names)
        self._storage_fields = class_items(classes.known.storage) if classes.known.storage else {}
        # Reads the address of a tensor's storage without making an object for it, or a copy of memory that is shared
        # until it is written to. None in an older PyTorch.
        self._address_of: Any = getattr(torch._C, "_data_address", None)
        self._is_expired = getattr(classes.known.storage, "_expired", None)
        self._rows: dict[Any, int] = {}  # of the last tensors, by their storages: many may be views of one
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
                found.append(self._of_whole_tensor(tensor, facts))
            except (RuntimeError, NotImplementedError):  # it has none
                pass
        return [storage for storage in found if storage is not None]

    def _of_whole_tensor(self, tensor: Any, facts: Facts) -> Optional[Storage]:
        if self._address_of is None or facts.overrides_dispatch:
            return self.of_storage(self._tensor_fields["untyped_storage"](tensor), tensor)
        address = int(self._address_of(tensor))
        base = self.field(tensor, "_base")
        size = self.field(tensor if base is None else base, "nbytes")
        return (self._tensor_fields["get_device"](tensor), address, size) if address else None

    def rows_of_plain_tensors(self, tensors: list[Any], found: Storages) -> list[int]:
        """Returns the number of what of_tensor() returns for each of these, whose classes must not override dispatch; negative
        for those without memory on a GPU. Raises if one is sparse or has no storage."""
        fields = self._tensor_fields
        layouts = {id(layout): layout for layout in map(fields["layout"].__get__, tensors)}
        if any(str(layout) in PARTS_OF_SPARSE for layout in layouts.values()):
            raise NotImplementedError("a sparse tensor")
        is_on_gpu = list(map(fields["is_cuda"].__get__, tensors))
        if not any(is_on_gpu):
            return [_NO_MEMORY] * len(tensors)
        rows_of = self._rows_by_storage if self._address_of is None else self._rows_by_address
        if all(is_on_gpu):
            return list(rows_of(tensors, found))
        rows = iter(rows_of(list(compress(tensors, is_on_gpu)), found))
        return [next(rows) if one else _NO_MEMORY for one in is_on_gpu]

    def _rows_by_storage(self, tensors: list[Any], found: Storages) -> Iterable[int]:
        objects = list(map(self._tensor_fields["untyped_storage"], tensors))
        ids = list(map(id, objects))
        fresh = {key: one for key, one in zip(ids, objects) if key not in self._rows}
        rows = {key: self._rows[key] for key in set(ids) & self._rows.keys()}
        rows.update(self._added(fresh, map(self._storage_fields["data_ptr"], fresh.values()), found))
        self._rows, self._kept = rows, objects
        return map(rows.__getitem__, ids)

    def _rows_by_address(self, tensors: list[Any], found: Storages) -> Iterable[int]:
        """Does this for tensors on GPUs, whose storages have an address each."""
        fields = self._tensor_fields
        devices = list(map(fields["get_device"], tensors))
        addresses = list(map(self._address_of, tensors))
        wholes = [one if base is None else base for one, base in zip(tensors, self.bases(tensors))]
        known_sizes = list(map(fields["nbytes"].__get__, wholes))
        if all(addresses) and len(set(addresses)) == len(addresses):
            self._rows = {}
            return found.add_rows(devices, addresses, known_sizes)
        places = list(zip(devices, addresses))
        sizes = _largest_of_each(places, known_sizes)
        rows = {place: self._rows[place] for place in sizes.keys() & self._rows.keys()}
        rows.update((place, _NO_MEMORY) for place in sizes if not place[1])
        fresh = [place for place in sizes if place not in rows]
        numbers = found.add_rows([place[0] for place in fresh], [place[1] for place in fresh], [sizes[place] for place in fresh])
        rows.update(zip(fresh, numbers))
        self._rows = rows
        return map(rows.__getitem__, places)

    def add_storages(self, keys: list[int], storages: list[Any], found: Storages) -> None:
        """Adds the memory of objects that are storages of the program."""
        places = [self.of_storage(storage) for storage in storages]
        fresh = [place for place in places if place is not None]
        numbers = iter(found.add_rows(*map(list, zip(*fresh)))) if fresh else iter(())
        found.give(keys, [_NO_MEMORY if place is None else next(numbers) for place in places])

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

    def graphs(self, tensors: list[Any]) -> list[Any]:
        """Returns the node of each tensor, None for one without a graph."""
        return list(map(self.graph, tensors))

    def gradients(self, tensors: list[Any]) -> list[Any]:
        """Returns the gradients of tensors that must have no graph."""
        return list(map(self.gradient, tensors))

    def bases(self, tensors: list[Any]) -> list[Any]:
        """Returns for each tensor the one of which it is a view, if any."""
        return list(map(self.base, tensors))

    def retained_gradients(self, tensors: list[Any]) -> list[Any]:
        """Returns the gradients of tensors that must have graphs, None for one that retains none."""
        return [self.gradient(one) if retains else None for one, retains in zip(tensors, map(self.retains_gradient, tensors))]

    def lead_on(self, tensors: list[Any]) -> list[bool]:
        """Whether each of these may refer to another tensor or to a graph."""
        if not are_none(self.graphs(tensors)):
            return [True] * len(tensors)
        return [not are_none(both) for both in zip(self.gradients(tensors), self.bases(tensors))]

    def of_storage(self, storage: Any, tensor: Any = None) -> Optional[Storage]:
        fields = self._storage_fields
        device = fields["device"].__get__(storage)
        size = fields["nbytes"](storage) if device.type == "cuda" and not self._has_ended(storage) else 0
        address = self._address(storage, tensor) if size else 0
        return (device.index or 0, address, size) if address else None

    def _has_ended(self, storage: Any) -> bool:
        """Whether PyTorch has released the memory of a storage, whose Python object stays for weak references: in PyTorch
        2.6, asking that object for its address frees it a second time."""
        return self._is_expired is not None and bool(self._is_expired(self._storage_fields["_cdata"].__get__(storage)))

    def _address(self, storage: Any, tensor: Any) -> int:
        """Returns it without making a copy of memory that is shared until it is written to."""
        if tensor is not None and self._address_of is not None:
            return int(self._address_of(tensor))
        return int(self._storage_fields["data_ptr"](storage))


def _largest_of_each(places: list[_Place], sizes: list[int]) -> dict[_Place, int]:
    """Returns for each storage the bytes of the largest tensor in it."""
    found = dict(zip(places, sizes))
    if len(found) < len(places) and len(set(sizes)) > 1:
        for place, size in zip(places, sizes):
            found[place] = max(found[place], size)
    return found

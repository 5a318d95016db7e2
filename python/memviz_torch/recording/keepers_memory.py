"""Reads which GPU memory a tensor or a storage has. Runs no __torch_function__ or __torch_dispatch__, and allocates
nothing."""

from __future__ import annotations

from itertools import compress
from typing import Any, Iterable, Optional

from .keepers_types import Classes, Facts, KnownClasses, class_items
from .tensors import PARTS_OF_SPARSE

Storage = tuple[int, int, int]  # device, address, bytes
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

    def of_plain_tensors(self, tensors: list[Any]) -> list[Optional[tuple[Storage, ...]]]:
        """Returns for each tensor, whose class must not override dispatch, what of_tensor() does, None for nothing. Raises if
        one is sparse or has no storage."""
        fields = self._tensor_fields
        layouts = {id(layout): layout for layout in map(fields["layout"].__get__, tensors)}
        if any(str(layout) in PARTS_OF_SPARSE for layout in layouts.values()):
            raise NotImplementedError("a sparse tensor")
        is_on_gpu = list(map(fields["is_cuda"].__get__, tensors))
        on_gpu = tensors if all(is_on_gpu) else list(compress(tensors, is_on_gpu))
        objects = list(map(fields["untyped_storage"], on_gpu))
        keys = list(map(id, objects))
        known: dict[int, Optional[tuple[Storage, ...]]] = {}
        for key, (storage, tensor) in dict(zip(keys, zip(objects, on_gpu))).items():
            found = self.of_storage(storage, tensor)
            known[key] = None if found is None else (found,)
        places = map(known.__getitem__, keys)
        return [next(places) if is_one else None for is_one in is_on_gpu]

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

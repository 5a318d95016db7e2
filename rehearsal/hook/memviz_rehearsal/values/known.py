"""What is known of the content of the made-up GPU, by storage, so that views and writes in place need no rules of their own."""

import torch
from torch.multiprocessing.reductions import StorageWeakRef

_MOST_BYTES = 4 << 20  # of a storage
_MOST_KEPT = 20_000  # storages


class Known:
    """The content of device storages, as storages of the host, by address."""

    def __init__(self):
        self._storages = {}  # by address: the one of the host, and a weak reference to that of the device
        self._made_up = set()  # of their addresses

    def view(self, tensor):
        """Returns the same elements on the CPU; None if they are unknown."""
        if not tensor.numel():
            return torch.empty_like(tensor, device="cpu")
        storage = tensor.untyped_storage()
        kept, owner = self._storages.get(storage.data_ptr(), (None, None))
        if kept is None or owner.expired() or kept.nbytes() != storage.nbytes():
            return None
        empty = torch.empty(0, dtype=tensor.dtype)
        return empty.set_(kept, tensor.storage_offset(), tensor.size(), tensor.stride())

    @staticmethod
    def is_whole(tensor):
        """Whether it is all of its storage."""
        return tensor.is_contiguous() and tensor.nbytes == tensor.untyped_storage().nbytes()

    def learn(self, tensor, value, is_made_up):
        """`tensor` is the only one of its storage."""
        storage = tensor.untyped_storage()
        self.forget(tensor)
        if not tensor.numel() or storage.nbytes() > _MOST_BYTES or len(self._storages) >= _MOST_KEPT:
            return
        kept = torch.UntypedStorage(storage.nbytes())
        self._storages[storage.data_ptr()] = kept, StorageWeakRef(storage)
        self.view(tensor).copy_(value)
        if is_made_up:
            self.doubt(tensor)

    def doubt(self, tensor):
        if tensor.is_cuda and tensor.numel():
            self._made_up.add(tensor.untyped_storage().data_ptr())

    def is_made_up(self, tensor):
        return tensor.is_cuda and tensor.untyped_storage().data_ptr() in self._made_up

    def is_sure(self, tensor):
        return not tensor.is_cuda or (self.view(tensor) is not None and not self.is_made_up(tensor))

    def forget(self, tensor):
        if not tensor.is_cuda or not tensor.numel():
            return
        place = tensor.untyped_storage().data_ptr()
        self._storages.pop(place, None)
        self._made_up.discard(place)

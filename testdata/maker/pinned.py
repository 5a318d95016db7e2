"""Requests -> events and segments of pinned host memory, as PyTorch 2.15 writes them.

The rules follow ATen/core/CachingHostAllocator.h: sizes are rounded up to a power of two, nothing is split or merged,
so that a block is its segment, and a freed one serves the next request of its size.
"""

from .allocator import ALLOCATED, INACTIVE, Clock

# As record_pinned_host_memory=True writes them: -1 is no device, and the pool is always the small one.
DEVICE, SEGMENT_TYPE, POOL = -1, "small", (0, 0)


class PinnedHost:
    """Blocks by address, as [size, state, stack of the allocation, stack of the segment]."""

    def __init__(self, base=0x7FD18C200000, clock=None):
        self.clock = clock or Clock(seed=15)
        self.events, self.blocks = [], {}
        self._next_address = base

    def alloc(self, size, stack):
        """Returns the address, the handle for free()."""
        rounded = 1 << (size - 1).bit_length()
        address = next((a for a, b in self.blocks.items() if b[0] == rounded and b[1] == INACTIVE), None)
        if address is None:
            address, self._next_address = self._next_address, self._next_address + rounded + 0x1000
            self.blocks[address] = [rounded, ALLOCATED, stack, stack]
            self._log("segment_alloc", address, stack)
        self.blocks[address][1:3] = ALLOCATED, stack
        self._log("alloc", address, stack)
        return address

    def free(self, address, stack):
        self._log("free_requested", address, stack)
        self._log("free_completed", address, stack)
        self.blocks[address][1:3] = INACTIVE, []

    def empty_cache(self, stack):
        for address in [a for a, b in self.blocks.items() if b[1] == INACTIVE]:
            self._log("segment_free", address, stack)
            del self.blocks[address]

    def add_to(self, snapshot):
        """The two keys, which stand after all others."""
        return snapshot | {"host_segments": [self._segment(a) for a in self.blocks], "host_traces": self.events}

    def _segment(self, address):
        size, state, stack, _ = self.blocks[address]
        used = size if state == ALLOCATED else 0
        block = {"address": address, "size": size, "requested_size": size, "state": state, "frames": stack}
        return {
            "device": DEVICE,
            "address": address,
            "total_size": size,
            "allocated_size": used,
            "active_size": used,
            "requested_size": used,
            "stream": 0,
            "segment_type": SEGMENT_TYPE,
            "segment_pool_id": POOL,
            "is_expandable": False,
            "frames": stack,
            "blocks": [block],
        }

    def _log(self, action, address, stack):
        self.events.append(
            {
                "action": action,
                "addr": address,
                "size": self.blocks[address][0],
                "stream": 0,
                "time_us": self.clock.tick(),
                "compile_context": "",
                "user_metadata": "",
                "pool_id": POOL,
                "frames": stack,
            }
        )

"""Requests -> events, segments and blocks: a small model of PyTorch's caching allocator.

Whatever a story does to an `Allocator` is logged as PyTorch logs it, so a snapshot's trace, blocks and sums agree by
construction. The rules (rounding, segment sizes, splitting, merging, stale requested sizes, `history` chains) follow
c10/cuda/CUDACachingAllocator.cpp of PyTorch 1.13 to 2.4.
"""

from dataclasses import dataclass, field

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
ALLOCATED, PENDING, INACTIVE, UNMAPPED = "active_allocated", "active_pending_free", "inactive", "unmapped"


class OutOfMemory(Exception):
    """The simulated device is full; the `oom` event is already logged."""


class Clock:
    """Microseconds since 1970 that advance unevenly but always the same way."""

    def __init__(self, start_us=1_760_000_000_000_000, seed=1):
        self.now_us, self._state = start_us, seed

    def tick(self):
        self._state = (self._state * 1103515245 + 12345) % (1 << 31)
        self.now_us += 1 + (self._state >> 16) % 400
        return self.now_us


@dataclass(eq=False)
class Block:
    segment: "Segment"
    address: int
    size: int
    requested: int = 0
    state: str = INACTIVE
    stack: list | None = None
    history: list = field(default_factory=list)  # (address, requested size, stack or None)

    @property
    def end(self):
        return self.address + self.size


@dataclass(eq=False)
class Segment:
    device: int
    address: int
    size: int
    stream: int
    is_small: bool
    pool: tuple
    stack: list | None
    is_expandable: bool = False
    blocks: list = field(default_factory=list)

    @property
    def key(self):
        return (self.is_small, self.stream, self.pool)


def round_up(size, step):
    return (size + step - 1) // step * step


class Allocator:
    """One device. `recording` may be switched on and off; `max_entries` bounds the trace, which forgets its oldest."""

    def __init__(
        self, device=0, base=0x7F3A40000000, capacity=80 * GIB, *, clock=None, expandable=False, max_entries=None
    ):
        self.device, self.capacity, self.expandable, self.max_entries = device, capacity, expandable, max_entries
        self.clock = clock or Clock()
        self.recording = True
        self.events, self.segments = [], []
        self.compile_context, self.user_metadata = "N/A", ""
        self._next_address = base

    @property
    def reserved(self):
        return sum(s.size - sum(b.size for b in s.blocks if b.state == UNMAPPED) for s in self.segments)

    # What a story calls

    def alloc(self, size, stack=None, *, stream=0, pool=(0, 0)):
        """Returns the block that now holds `size` requested bytes; it is the handle for free()."""
        rounded = max(512, round_up(size, 512))
        key = (rounded <= MIB, stream, pool)
        block = self._find(rounded, key) or self._grow(rounded, key, stack)
        self._split(block, rounded)
        block.state, block.requested = ALLOCATED, size
        block.stack = stack if self.recording else None
        kept = [h for h in block.history if h[0] >= block.address + rounded]
        block.history = [(block.address, size, block.stack), *kept]
        self._log("alloc", block.address, size, block.segment, stack)
        return block

    def free(self, block, stack=None, *, in_use_elsewhere=False):
        """Frees; with `in_use_elsewhere` (record_stream) the block stays pending until complete()."""
        assert block.state == ALLOCATED
        self._log("free_requested", block.address, block.requested, block.segment, stack or block.stack)
        block.state = PENDING
        if not in_use_elsewhere:
            self.complete(block, stack)

    def complete(self, block, stack=None):
        assert block.state == PENDING
        self._log("free_completed", block.address, block.requested, block.segment, stack or block.stack)
        block.state, block.stack = INACTIVE, None
        self._merge(block)

    def empty_cache(self, stack=None):
        """Gives every wholly free segment, or page of an expandable one, back; those of private pools stay in use."""
        for segment in list(self.segments):
            if segment.is_expandable:
                self._unmap(segment, stack)
            elif segment.pool == (0, 0) and all(b.state == INACTIVE for b in segment.blocks):
                self.segments.remove(segment)
                self._log("segment_free", segment.address, segment.size, segment, stack)

    def annotate(self, block, text, stack):
        """What is said of a block that lives: an event of its own, with the text in the place of the metadata."""
        metadata, self.user_metadata = self.user_metadata, text
        self._log("annotate", block.address, block.requested, block.segment, stack)
        self.user_metadata = metadata

    def mark_snapshot(self):
        active = sum(b.size for s in self.segments for b in s.blocks if b.state in (ALLOCATED, PENDING))
        self._log("snapshot", 0, active, None, None)

    # The parts

    def _find(self, rounded, key):
        fitting = [
            b for s in self.segments if s.key == key for b in s.blocks if b.state == INACTIVE and b.size >= rounded
        ]
        return min(fitting, key=lambda b: (b.size, b.address), default=None)

    def _grow(self, rounded, key, stack):
        is_small, stream, pool = key
        if self.expandable:
            return self._map(rounded, key, stack)
        size = 2 * MIB if is_small else 20 * MIB if rounded < 10 * MIB else round_up(rounded, 2 * MIB)
        if self.reserved + size > self.capacity:
            self.empty_cache(stack)
        self._require(size, rounded, stack, stream, pool)
        segment = Segment(
            self.device, self._reserve_addresses(size), size, stream, is_small, pool, stack if self.recording else None
        )
        segment.blocks.append(Block(segment, segment.address, size))
        self.segments.append(segment)
        self._log("segment_alloc", segment.address, size, segment, stack)
        return segment.blocks[0]

    def _map(self, rounded, key, stack):
        is_small, stream, pool = key
        segment = next((s for s in self.segments if s.key == key), None)
        if segment is None:
            start = self._reserve_addresses(round_up(self.capacity, 2 * MIB))
            segment = Segment(self.device, start, 0, stream, is_small, pool, stack if self.recording else None, True)
            self.segments.append(segment)
        last = segment.blocks[-1] if segment.blocks else None
        missing = rounded - (last.size if last and last.state == INACTIVE else 0)
        size = round_up(missing, 2 * MIB if is_small else 20 * MIB)
        self._require(size, rounded, stack, stream, pool)
        block = Block(segment, segment.address + segment.size, size)
        segment.blocks.append(block)
        segment.size += size
        self._log("segment_map", block.address, size, segment, stack)
        self._merge(block)
        return block

    def _unmap(self, segment, stack):
        page = 2 * MIB if segment.is_small else 20 * MIB
        for block in [b for b in segment.blocks if b.state == INACTIVE]:
            start = segment.address + round_up(block.address - segment.address, page)
            end = segment.address + (block.end - segment.address) // page * page
            if end <= start:
                continue
            pieces = [
                Block(segment, block.address, start - block.address),
                Block(segment, start, end - start, state=UNMAPPED),
                Block(segment, end, block.end - end),
            ]
            at = segment.blocks.index(block)
            segment.blocks[at : at + 1] = [p for p in pieces if p.size]
            self._log("segment_unmap", start, end - start, segment, stack)

    def _require(self, size, rounded, stack, stream, pool):
        if self.reserved + size <= self.capacity:
            return
        if self.recording:
            self._append(
                {"action": "oom", "device_free": self.capacity - self.reserved, "size": rounded, "stream": stream},
                stack,
                pool,
            )
        raise OutOfMemory

    def _split(self, block, rounded):
        rest = block.size - rounded
        if rest < 512 or (not block.segment.is_small and rest <= MIB):
            return
        # PyTorch makes a new block for the front, so the remainder keeps the old block's (stale) requested size.
        remainder = Block(block.segment, block.address + rounded, rest, block.requested)
        remainder.history = [h for h in block.history if h[0] >= remainder.address]
        block.size = rounded
        block.segment.blocks.insert(block.segment.blocks.index(block) + 1, remainder)

    def _merge(self, block):
        blocks = block.segment.blocks
        at = blocks.index(block)
        if at + 1 < len(blocks) and blocks[at + 1].state == INACTIVE:
            after = blocks.pop(at + 1)
            block.size += after.size
            block.history = block.history + after.history
        if at > 0 and blocks[at - 1].state == INACTIVE:
            before = blocks.pop(at - 1)
            block.address, block.size = before.address, block.size + before.size
            block.history = before.history + block.history

    def _reserve_addresses(self, size):
        address = self._next_address
        self._next_address += round_up(size, 2 * MIB) + 6 * MIB
        return address

    def _log(self, action, address, size, segment, stack):
        if self.recording:
            self._append(
                {"action": action, "addr": address, "size": size, "stream": segment.stream if segment else 0},
                stack,
                segment.pool if segment else (0, 0),
            )

    def _append(self, event, stack, pool):
        event |= {
            "time_us": self.clock.tick(),
            "compile_context": self.compile_context,
            "user_metadata": self.user_metadata,
            "pool_id": pool,
        }
        if stack:
            event["frames"] = stack
        self.events.append(event)
        if self.max_entries and len(self.events) > self.max_entries:
            del self.events[0]

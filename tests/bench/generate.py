#!/usr/bin/env python3
"""Writes a snapshot as PyTorch would have written it: two devices of the allocator in testdata/maker, each of which
repeats one period of its trace.

A period ends with the memory that it began with. Repeating it changes only times and the places of its
objects in the memo, so both are changed in the bytes, and what is kept does not grow with the number of events.
"""

import argparse
import bisect
import io
import pathlib
import pickle
import pickletools
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "testdata"))

from maker import generations as gen
from maker.allocator import GIB, KIB, MIB
from maker.encode import CppWriter
from maker.looping import Device
from maker.stacks import EVAL, FREE, MALLOC, START, of_places

SHAPES = {
    "own": "a list of frames for each alloc and free",
    "alloc": "frees refer to the frames of their alloc",
    "shared": "one list of frames for each distinct stack",  # and the keys of PyTorch 2.10
}
BATCH = 1000  # CPython writes so many items between MARK and APPENDS
ALLOCATIONS = (4333, 666)  # of each device in a period: 13,000 and 2,000 events with their frees
ALLOCATIONS_OF_FEW = (1333, 333)  # the same for less than 100,000 events
SIZES = {512: 247, 4 * KIB: 200, 32 * KIB: 160, 256 * KIB: 120, MIB: 100, 2 * MIB: 80, 10 * MIB: 55, 40 * MIB: 28}
SIZES |= {128 * MIB: 7, 512 * MIB: 2, 3 * GIB: 1}  # and how often, per mille
HEAPS = {(0, (0, 0)): 820, (0x5581A0C3E40, (0, 0)): 120, (0x5581A0D7F10, (1, 0)): 60}  # stream and pool
FRAME_BYTES = 64 * KIB
NO_OBJECT = {"MEMOIZE", "BINPUT", "LONG_BINPUT", "MARK", "APPEND", "APPENDS", "SETITEM", "SETITEMS", "TUPLE2", "STOP"}
TIMES = range(1 << 50, 1 << 54)  # microseconds since 1970; no address is as large

FOLDERS = ("/srv/train/model/", "/opt/venv/lib/python3.12/site-packages/torch/nn/modules/")
NAMES = ("forward", "_call_impl", "_wrapped_call_impl", "step")
PYTHON = [(f"{FOLDERS[n % 2]}part_{n // 12}.py", 1 + n * 37 % 2000, NAMES[n % 4]) for n in range(1200)]
OPERATOR = "at::_ops::operator_{}::call(at::Tensor const&{})"
ARGUMENTS = ", c10::ArrayRef<c10::SymInt>, std::optional<at::Tensor> const&"
OPERATORS = [("RegisterCUDA.cpp", 0, OPERATOR.format(n, ARGUMENTS * (n % 6))) for n in range(500)]


def random_stack(chance, innermost):
    """Returns a stack of 5 to 60 frames. Each frame calls one of three others, so that stacks share outer frames."""
    depth = 5 + (chance.randrange(56) + chance.randrange(56)) // 2
    inner, middle, caller = innermost[-(depth // 2) :], [], 0
    outer = START[: depth - len(inner)]
    between = depth - len(inner) - len(outer)
    for number in range(between):
        is_python = number < between * 2 // 3
        if is_python and number % 2:
            middle.append(EVAL)
            continue
        callees = PYTHON if is_python else OPERATORS
        caller = (caller * 7919 + chance.randrange(3) * 104_729 + 1) % len(callees)
        middle.append(callees[caller])
    return of_places([*inner, *reversed(middle), *outer])


class Training(Device):
    """A device with a history that began before it was recorded."""

    def __init__(self, index, shape, stacks, allocations):
        super().__init__(index, 0x7F0000000000 + (index << 40), 80 * GIB, expandable=index == 0)
        self.shape, (self.allocating, self.freeing) = shape, stacks
        self.chance = random.Random(index)
        self.recording = False
        from_before = [self._request() for _ in range(300)]
        self.recording = True
        kept = [self._request() for _ in range(1000)]
        for block in from_before[100:]:
            self.free(block, self._stack(self.freeing))
        for _ in range(2):
            self.period(allocations)  # in which segments grow
        while len(self.events) % BATCH > 1:
            self.free(kept.pop(), self._stack(self.freeing))
        self._fill_batch()
        self.warm = len(self.events)
        self.period(allocations)
        self._fill_batch()
        if any(event["action"].startswith("segment") for event in self.events[self.warm :]):
            raise RuntimeError("a period ends with other memory than it began with")

    def period(self, allocations):
        """Memory grows in the first half and shrinks in the second."""
        self.chance = random.Random(self.device)
        live, pending = [], []
        for number in range(allocations + 1):
            while pending and (pending[0][0] <= number or number == allocations):
                self.complete(*pending.pop(0)[1:])
            if number < allocations:
                live.append(self._request())
            while len(live) > min(number, max(0, allocations - 1 - number)) // 2:
                age = self.chance.randrange(len(live) if self.chance.randrange(8) == 0 else min(64, len(live)))
                block, stack = live.pop(-1 - age), self._stack(self.freeing)
                is_pending = self.chance.randrange(64) == 0 and number + 100 < allocations
                self.free(block, stack, in_use_elsewhere=is_pending)
                if is_pending:
                    pending.append((number + 100, block, stack))

    def _fill_batch(self):
        while len(self.events) % BATCH:
            self.mark_snapshot()
            self.events[-1]["frames"] = self._stack(self.freeing) or self.freeing[0]

    def _request(self):
        [size] = self.chance.choices(list(SIZES), SIZES.values())
        [(stream, pool)] = self.chance.choices(list(HEAPS), HEAPS.values())
        if self.chance.randrange(4) == 0:
            size -= self.chance.randrange(size // 2)
        return self.alloc(size, self._stack(self.allocating), stream=stream, pool=pool)

    def _stack(self, stacks):
        """Picks the smaller of two random numbers, so that some stacks are far more frequent than others."""
        stack = stacks[min(self.chance.randrange(len(stacks)), self.chance.randrange(len(stacks)))]
        if self.shape == "alloc" and stacks is self.freeing:
            return None
        return stack if self.shape == "shared" else list(stack)

    def _append(self, event, stack, pool):
        super()._append(event, stack, pool)
        if self.shape == "shared":
            return
        frames = event.pop("frames", None)
        event |= {"compile_context": "".join(["N/", "A"]), "pool_id": tuple(list(pool))}  # new objects
        if event["action"] == "alloc" and len(self.events) % 64 == 5:
            # PyTorch knows the forward pass of some allocations of a backward pass.
            event["forward_frames"] = [f"layers.py:{len(self.events) % 97} forward", "train.py:7 step"]
        if frames:
            event["frames"] = frames


class PythonParts:
    """Returns the parts of a pickle of protocol 4, by CPython: each refers to the previous ones."""

    head, is_cpython = pickle.PROTO + b"\x04", True

    def __init__(self, _value):
        self.buffer = io.BytesIO()
        self.pickler = pickle.Pickler(self.buffer, 4)

    def memo_size(self):
        return len(self.pickler.memo.copy())

    def part(self, value):
        """Returns the opcodes of a value without those that make frames."""
        self.buffer.seek(0)
        self.buffer.truncate()
        self.pickler.dump(value)
        raw, at, parts = self.buffer.getvalue(), 2, []
        while raw[at : at + 1] == pickle.FRAME:
            end = at + 9 + struct.unpack_from("<Q", raw, at + 1)[0]
            parts.append(raw[at + 9 : end])
            at = end
        return (b"".join(parts) + raw[at:])[: -len(pickle.STOP)]


class TorchParts(CppWriter):
    """Returns the parts of a pickle by torch::cuda::_memory_snapshot_pickled()."""

    head, is_cpython = pickle.PROTO + b"\x02", False

    def __init__(self, value):
        super().__init__()
        self._count(value)
        # PyTorch adds the stacks after everything else, so it refers to each list and to its owner.
        owners = value["segments"] + [block for segment in value["segments"] for block in segment["blocks"]]
        for owner in owners + [event for trace in value["device_traces"] for event in trace]:
            if owner.get("frames"):
                self._uses[id(owner)] = self._uses[id(owner["frames"])] = 2

    def memo_size(self):
        return self._next

    def part(self, value):
        self._out = io.BytesIO()
        if value in ({}, []):
            return pickle.EMPTY_LIST if value == [] else pickle.EMPTY_DICT
        self._push(value)
        return self._out.getvalue()


def places(raw):
    """Returns where opcodes name a place in the memo by four bytes, where times are, with their values, and where
    objects begin."""
    references, times, objects = [], [], []
    for opcode, value, at in pickletools.genops(raw + pickle.STOP):
        if opcode.name in ("LONG_BINGET", "LONG_BINPUT"):
            references.append((at + 1, value))
        elif opcode.name == "LONG1" and value in TIMES:
            times.append((at + 2, value))
        if opcode.name not in NO_OBJECT:
            objects.append(at)
    return references, times, objects


class Output:
    """Writes the parts of a snapshot, and remembers by how much repeated periods move the memo after them."""

    def __init__(self, writer, file):
        self.writer, self.file, self.waiting, self.moves = writer, file, bytearray(), []
        self.file.write(writer.head)

    def put(self, raw):
        raw = self.moved(raw)
        if len(self.waiting) + len(raw) < FRAME_BYTES:
            self.waiting += raw
        else:
            self.cut(raw, places(raw)[2])

    def cut(self, raw, objects):
        """Ends a frame as CPython does, where an object begins after 64 KiB."""
        at = 0
        while (index := bisect.bisect_left(objects, at + FRAME_BYTES - len(self.waiting))) < len(objects):
            self.waiting += raw[at : objects[index]]
            self.flush()
            at = objects[index]
        self.waiting += raw[at:]

    def flush(self):
        if self.writer.is_cpython:
            self.file.write(pickle.FRAME + struct.pack("<Q", len(self.waiting)))
        self.file.write(self.waiting)
        self.waiting.clear()

    def moved(self, raw):
        if not self.moves:
            return raw
        made = bytearray(raw)
        for at, place in places(raw)[0]:
            by = next((by for first, by in reversed(self.moves) if place >= first), 0)
            struct.pack_into("<I", made, at, place + by)
        return bytes(made)

    def trace(self, events, warm, periods):
        self.put(self.writer.part([]) + (b"" if self.writer.is_cpython else pickle.MARK))
        for part in self.parts(events[:warm]):
            self.put(part)
        first = self.writer.memo_size()
        period = b"".join(self.parts(events[warm:]))
        self.repeat(period, first, periods, events[-1]["time_us"] - events[warm - 1]["time_us"])
        self.put(b"" if self.writer.is_cpython else pickle.APPENDS)

    def parts(self, events):
        for number, event in enumerate(events):
            begins = pickle.MARK if self.writer.is_cpython and number % BATCH == 0 else b""
            ends = pickle.APPENDS if self.writer.is_cpython and number % BATCH == BATCH - 1 else b""
            yield begins + self.writer.part(event) + ends

    def repeat(self, period, first, periods, period_us):
        """Writes the events of a period again and again. Places in the memo from `first` on are those of the period."""
        size, before = self.writer.memo_size() - first, self.moves[-1][1] if self.moves else 0
        (references, times, objects), made = places(period), bytearray(self.moved(period))
        references = [(at, place + before) for at, place in references if place >= first]
        for number in range(periods):
            for at, place in references:
                struct.pack_into("<I", made, at, place + number * size)
            for at, time_us in times:
                made[at : at + 7] = (time_us + number * period_us).to_bytes(7, "little")
            self.cut(made, objects)
        self.moves.append((first, before + (periods - 1) * size))


def write(file, *, events, shape, writer):
    """Writes about this many events, in whole periods, at least one. Returns their number."""
    allocations = ALLOCATIONS_OF_FEW if events < 100_000 else ALLOCATIONS
    chance = random.Random(1)
    stacks = [[random_stack(chance, inner) for _ in range(count)] for count, inner in [(4500, MALLOC), (1200, FREE)]]
    devices = [Training(index, shape, stacks, count) for index, count in enumerate(allocations)]
    started = devices[0].events[0]["time_us"]
    marks = [("START", "END")[number % 2] for number in range(100)]
    steps = [gen.annotation("Optimizer.step#AdamW.step", mark, started + 7000 * n) for n, mark in enumerate(marks)]
    version, ring = (gen.V2_10, {}) if shape == "shared" else (gen.V2026, {"trace_alloc_max_entries": events})
    settings = gen.allocator_settings(version, "expandable_segments:True", expandable_segments=True, **ring)
    value = gen.snapshot(devices, version, annotations=steps, settings=settings)
    warm, both = (sum(numbers) for numbers in zip(*((d.warm, len(d.events)) for d in devices)))
    periods = max(1, round((events - warm) / (both - warm)))

    parts = (PythonParts if writer == "python" else TorchParts)(value)
    output = Output(parts, file)
    output.put(parts.part({}) + pickle.MARK + parts.part("segments") + parts.part(value["segments"]))
    output.put(parts.part("device_traces") + parts.part([]) + pickle.MARK)
    for device, trace in zip(devices, value["device_traces"]):
        output.trace(trace, device.warm, periods)
    output.put(pickle.APPENDS)
    for key in ("allocator_settings", "external_annotations"):
        output.put(parts.part(key) + parts.part(value[key]))
    output.put(pickle.SETITEMS + pickle.STOP)
    output.flush()
    return warm + periods * (both - warm)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=argparse.FileType("wb"), help="where the snapshot goes; - is standard output")
    parser.add_argument("--events", type=int, default=1_000_000, help="of both devices; rounded to whole periods")
    parser.add_argument("--writer", choices=("python", "cpp"), default="python", help="protocol 4, or PyTorch's own")
    shapes = "; ".join(f"{name}: {meaning}" for name, meaning in SHAPES.items())
    parser.add_argument("--shape", choices=SHAPES, default="own", help=shapes)
    options = parser.parse_args()
    with options.file as file:
        write(file, events=options.events, shape=options.shape, writer=options.writer)

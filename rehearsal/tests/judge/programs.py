"""Programs that allocate and free at random, each of one seed: what the judge runs, and what it shrinks.

An operation is a list, so that a program is JSON: ["alloc", name, bytes, stream, pool], ["free", name],
["use", name, stream] (record_stream), ["empty_cache"], ["capture", graph, stream], ["end_capture"],
["drop", graph]. A pool is a MemPool by number, or None; while a graph is captured what its stream allocates is the
graph's.
"""

import random
from dataclasses import dataclass, field, replace

KIB, MIB = 1 << 10, 1 << 20
PAGE_BYTES = 2 * MIB  # the device gives no less
STREAMS = 3
NO_SPLIT_LIMIT_MB = (1 << 44) - 1


@dataclass(frozen=True)
class Program:
    memory_bytes: int
    operations: tuple
    settings: dict = field(default_factory=dict)  # PYTORCH_CUDA_ALLOC_CONF
    records_from: int = 0  # the operation before which recording starts
    later_settings: dict = field(default_factory=dict)  # from there on, in place of those
    has_stacks: bool = True
    fraction: float | None = None  # set_per_process_memory_fraction

    def with_operations(self, operations):
        return replace(self, operations=tuple(tuple(operation) for operation in operations))

    def with_later_settings(self, **changes):
        return replace(self, later_settings={**self.settings, **changes})

    def with_settings(self, **changes):
        """A setting of None is omitted."""
        settings = {key: value for key, value in {**self.settings, **changes}.items() if value is not None}
        return replace(self, settings=settings)


def captures(program):
    return any(operation[0] == "capture" for operation in program.operations)


def settings_text(settings):
    return ",".join(f"{key}:{value}" for key, value in settings.items())


def program_text(program):
    """Prints for people: one line for each operation."""
    lines = [f"memory {program.memory_bytes / MIB:g} MiB, settings '{settings_text(program.settings)}'"]
    if program.records_from:
        lines.append(f"recorded from operation {program.records_from}")
    if not program.has_stacks:
        lines.append("recorded without stacks")
    if program.fraction is not None:
        lines.append(f"memory fraction {program.fraction}")
    for index, (action, *rest) in enumerate(program.operations):
        if action == "alloc":
            name, size, stream, pool = rest
            rest = [name, f"{size / MIB:g} MiB ({size})", f"stream {stream}"] + ([f"pool {pool}"] if pool else [])
        lines.append(f"{index:4} {action} {' '.join(str(part) for part in rest)}")
    return "\n".join(lines)


def _settings(rng):
    settings = {}
    if rng.random() < 0.25:
        settings["expandable_segments"] = "True"
    if rng.random() < 0.2:
        settings["max_split_size_mb"] = rng.choice([21, 32, 64, 128, 200])
    if rng.random() < 0.2:
        settings["roundup_power2_divisions"] = rng.choice(["1", "2", "4", "8", "[1:8,4:4,64:2,>:1]"])
    return settings


class _Generator:
    """Writes operations until more is live than the device has, or enough of them."""

    def __init__(self, rng, memory_bytes, sizes=()):
        self.rng, self.memory_bytes, self.sizes = rng, memory_bytes, sizes
        self.operations, self.live, self.names, self.graphs = [], {}, 0, []
        self.capturing = None
        self.streams = rng.choice([1, 1, 2, STREAMS])
        self.pools = rng.choice([0, 0, 0, 1, 2])
        self.captures = rng.random() < 0.25
        self.empties = rng.choice([0, 0, 0.01, 0.05])
        self.shares = rng.choice([0, 0, 0.1])
        self.freeing = rng.uniform(0.25, 0.47)
        self.kinds = rng.choice([(1, 1, 1), (1, 4, 4), (5, 1, 1), (0, 1, 3), (1, 6, 0), (6, 2, 0)])

    def size(self):
        rng = self.rng
        if self.sizes:
            return rng.choice(self.sizes)
        kind = rng.choices(("small", "medium", "large"), self.kinds)[0]
        if kind == "small":
            return rng.choice([rng.randint(1, MIB), rng.randint(1, 64 * KIB), MIB, 512 * rng.randint(1, 2048)])
        if kind == "medium":
            return rng.choice([rng.randint(MIB + 1, 10 * MIB - 1), MIB * rng.randint(2, 9)])
        most = max(12, self.memory_bytes // MIB // rng.choice([2, 4, 8]))
        return rng.choice([rng.randint(10 * MIB, most * MIB), MIB * rng.randint(10, most), 2 * MIB * rng.randint(5, most // 2)])

    def alloc(self):
        stream = self.rng.randrange(self.streams)
        if self.capturing is not None and self.rng.random() < 0.8:
            stream = self.capturing
        pool = self.rng.randint(1, self.pools) if self.pools and self.rng.random() < 0.4 else None
        if self.capturing is not None:
            pool = None
        self.names += 1
        name, size = f"t{self.names}", self.size()
        self.live[name] = size
        self.operations.append(("alloc", name, size, stream, pool))

    def free(self):
        name = self.rng.choice(list(self.live))
        if self.rng.random() < self.shares:
            self.operations.append(("use", name, self.rng.randrange(STREAMS)))
        del self.live[name]
        self.operations.append(("free", name))

    def step(self):
        rng = self.rng
        if self.capturing is not None and rng.random() < 0.1:
            self.operations.append(("end_capture",))
            self.capturing = None
        elif self.capturing is None and self.captures and rng.random() < 0.06:
            self.capturing = 1 + rng.randrange(STREAMS - 1)
            self.graphs.append(f"g{len(self.graphs)}")
            self.operations.append(("capture", self.graphs[-1], self.capturing))
        elif self.capturing is None and self.graphs and rng.random() < 0.02:
            self.operations.append(("drop", self.graphs.pop(rng.randrange(len(self.graphs)))))
        elif self.capturing is None and rng.random() < self.empties:
            self.operations.append(("empty_cache",))
        elif self.live and rng.random() < self.freeing:
            for _ in range(rng.choice([1, 1, 1, 4])):
                if self.live:
                    self.free()
        else:
            self.alloc()

    def run(self):
        count = self.rng.choice([40, 120, 300])
        while sum(self.live.values()) <= self.memory_bytes and len(self.operations) < count:
            self.step()
        if self.rng.random() < 0.9:  # the rest may end without a failure
            self.names += 1
            size = self.rng.choice([self.memory_bytes // 8, self.memory_bytes // 3, self.memory_bytes])
            self.operations.append(("alloc", f"t{self.names}", size, self.capturing or 0, None))
        return tuple(self.operations)


def _few_sizes(seed):
    """In about every fourth program, so that free blocks are often equally large and their order matters."""
    rng = random.Random(f"sizes of {seed}")
    if rng.random() >= 0.25:
        return ()
    small, medium, large = [KIB * 128, KIB * 512, MIB], [MIB * 3 // 2, 3 * MIB, 4 * MIB, 7 * MIB], [10 * MIB, 14 * MIB, 18 * MIB, 30 * MIB]
    return rng.sample(small + medium + large, rng.choice([2, 3, 4]))


def random_program(seed):
    rng = random.Random(seed)
    memory_bytes = rng.choice([200, 256, 400, 512, 1000, 2048]) * MIB + rng.choice([0, 0, 2 * MIB, 14 * MIB])
    operations = _Generator(rng, memory_bytes, _few_sizes(seed)).run()
    program = Program(memory_bytes, operations, _settings(rng))
    if rng.random() < 0.1:
        program = replace(program, records_from=rng.randrange(len(operations)))
    if rng.random() < 0.15:
        program = replace(program, has_stacks=False)
    return program

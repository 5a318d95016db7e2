"""A program -> what PyTorch's own allocator does with it on the made-up GPU.

One process serves many programs, each from an allocator that holds nothing: what it takes of the device before the
first operation (the ballast) is all that differs between devices of different sizes. A graph whose capture fails spoils
its process, so that programs with graphs have one each.
"""

import ctypes
import json
import os
import traceback
from dataclasses import dataclass

import torch

from programs import NO_SPLIT_LIMIT_MB, PAGE_BYTES, STREAMS, captures, settings_text

MOST_EVENTS = 1_000_000
DEFAULTS = {
    "expandable_segments": "False",
    "garbage_collection_threshold": None,
    "max_split_size_mb": NO_SPLIT_LIMIT_MB,
    "roundup_power2_divisions": "1",
}


@dataclass(frozen=True)
class Result:
    failed_operation: int | None  # the allocation that found no memory
    reserved_bytes: int  # before the last operation; nothing where the program failed before
    end_bytes: int  # reserved at the end
    free_bytes: int  # what the driver said at the end
    figures: dict  # allocated, requested and active bytes at the end
    addresses: dict  # of what was live, by name
    allocations: list  # each in turn: (operation, address)
    memory_bytes: int  # of the device: what is not a whole page more than the program's is of no use to it
    unseen: list  # operations that no recording shows: empty_cache() with nothing to give back


class MemoryLost(RuntimeError):
    """PyTorch released memory that is in use. Such a run proves nothing, and its process cannot be used further."""


_lost = []  # runs whose tensors must never be freed

_runtime = ctypes.CDLL(None)


class _PointerAttributes(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("device", ctypes.c_int), ("on_device", ctypes.c_void_p), ("on_host", ctypes.c_void_p)]


def _is_device_memory(address):
    found = _PointerAttributes()
    _runtime.cudaPointerGetAttributes(ctypes.byref(found), ctypes.c_void_p(address))
    return found.type == 2  # cudaMemoryTypeDevice


class _Ballast:
    """Returns the device's memory outside PyTorch."""

    def __init__(self, size):
        self._pointer = ctypes.c_void_p()
        if size and _runtime.cudaMalloc(ctypes.byref(self._pointer), ctypes.c_size_t(size)) != 0:
            raise RuntimeError(f"no room for a ballast of {size} bytes")

    def drop(self):
        if self._pointer:
            _runtime.cudaFree(self._pointer)
        self._pointer = ctypes.c_void_p()


class _Run:
    def __init__(self, streams):
        self.streams, self.tensors, self.graphs, self.pools = streams, {}, {}, {}
        self.capturing = None
        self.allocations = []

    def alloc(self, name, size, stream, pool):
        with torch.cuda.stream(self.streams[stream]):
            if pool is None:
                self.tensors[name] = torch.empty(size, dtype=torch.uint8, device="cuda")
                return
            if pool not in self.pools:
                self.pools[pool] = torch.cuda.MemPool()
            with torch.cuda.use_mem_pool(self.pools[pool]):
                self.tensors[name] = torch.empty(size, dtype=torch.uint8, device="cuda")

    def free(self, name):
        self.tensors.pop(name, None)

    def use(self, name, stream):
        if name in self.tensors:
            self.tensors[name].record_stream(self.streams[stream])

    def empty_cache(self):
        torch.cuda.empty_cache()

    def capture(self, graph, stream):
        self.end_capture()
        self.graphs[graph] = torch.cuda.CUDAGraph()
        self.capturing = (graph, torch.cuda.stream(self.streams[stream]))
        self.capturing[1].__enter__()
        self.graphs[graph].capture_begin(capture_error_mode="relaxed")  # other streams may ask for memory as well

    def end_capture(self):
        if self.capturing:
            graph, stream = self.capturing
            self.capturing = None
            try:
                self.graphs[graph].capture_end()
            finally:
                stream.__exit__(None, None, None)

    def drop(self, graph):
        if not self.capturing or self.capturing[0] != graph:
            self.graphs.pop(graph, None)

    def delete_pool(self, pool):
        self.pools.pop(pool, None)

    def check_memory(self, error=None):
        lost = [name for name, tensor in self.tensors.items() if not _is_device_memory(tensor.data_ptr())]
        if lost or "invalid argument" in str(error):
            _lost.append(self)
            raise MemoryLost(str(error) if error else f"{', '.join(lost)} not in memory of the device any more")

    def close(self):
        self.end_capture()
        self.tensors.clear()
        self.graphs.clear()
        self.pools.clear()


def _record(program):
    torch.cuda.memory._record_memory_history(
        max_entries=MOST_EVENTS, context="all" if program.has_stacks else None, stacks="python", clear_history=True
    )


def _figure(name):
    return torch._C._cuda_memoryStats(0)[name]["all"]["current"]


class Runner:
    """Needs a process in which nothing else uses the device."""

    def __init__(self):
        torch.cuda.init()
        self.streams = [torch.cuda.default_stream()] + [torch.cuda.Stream() for _ in range(STREAMS - 1)]
        self.device_bytes = torch.cuda.mem_get_info()[0]

    def run(self, program, snapshot_path=None, late_bytes=0):
        """`late_bytes`: the additional memory that the device has from an operation ("late",) on."""
        settings = {key: value for key, value in {**DEFAULTS, **program.settings}.items() if value is not None}
        torch._C._accelerator_setAllocatorSettings(settings_text(settings))
        late = _Ballast(late_bytes)
        pages = self.device_bytes // PAGE_BYTES - program.memory_bytes // PAGE_BYTES
        ballast = _Ballast(pages * PAGE_BYTES - late_bytes)
        if program.fraction is not None:
            torch.cuda.set_per_process_memory_fraction(program.fraction)
        run = _Run(self.streams)
        result = self._run(run, program, snapshot_path, late)
        if not captures(program):
            self._reset(run, ballast, late)
        return result

    def _run(self, run, program, snapshot_path, late):
        failed, reserved_bytes, unseen = None, 0, []
        for index, (action, *arguments) in enumerate(program.operations):
            if index == program.records_from:
                if program.later_settings:
                    torch._C._accelerator_setAllocatorSettings(settings_text(program.later_settings))
                _record(program)
            held = _figure("reserved_bytes") if action == "empty_cache" else 0
            if action == "late":
                late.drop()
                continue
            if index == len(program.operations) - 1:
                reserved_bytes = _figure("reserved_bytes")
            try:
                getattr(run, action)(*arguments)
            except torch.OutOfMemoryError:
                failed = index
                break
            except RuntimeError as error:
                if "max_split_size_mb" in program.later_settings:
                    run.check_memory(error)
                raise
            if action == "empty_cache" and held == _figure("reserved_bytes"):
                unseen.append(index)
            if action == "alloc":
                run.allocations.append((index, run.tensors[arguments[0]].data_ptr()))
        if "max_split_size_mb" in program.later_settings:
            run.check_memory()
        if snapshot_path:
            torch.cuda.memory._dump_snapshot(snapshot_path)
        figures = {name: _figure(name) for name in ("allocated_bytes", "requested_bytes", "active_bytes")}
        addresses = {name: tensor.data_ptr() for name, tensor in run.tensors.items()}
        return Result(
            failed,
            reserved_bytes,
            _figure("reserved_bytes"),
            torch.cuda.mem_get_info()[0],
            figures,
            addresses,
            run.allocations,
            program.memory_bytes // PAGE_BYTES * PAGE_BYTES + self.device_bytes % PAGE_BYTES,
            unseen,
        )

    def _reset(self, run, ballast, late):
        run.close()
        ballast.drop()
        late.drop()
        torch.cuda.memory._record_memory_history(None)
        torch.cuda.empty_cache()
        if _figure("reserved_bytes") or torch.cuda.mem_get_info()[0] != self.device_bytes:
            raise RuntimeError("the program left memory behind")


def run_alone(program, snapshot_path=None, late_bytes=0):
    """Runs in a separate process; this one must not have used the device yet."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = vars(Runner().run(program, snapshot_path, late_bytes))
        except MemoryLost as lost:
            answer = {"lost": str(lost)}
        except BaseException:  # whatever it is, the parent says it, and this process ends here
            answer = {"error": traceback.format_exc(limit=-2)}
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    answer = json.loads(text or '{"error": "the process died"}')
    if "lost" in answer:
        raise MemoryLost(answer["lost"])
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return Result(**answer)

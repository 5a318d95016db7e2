"""Records what a rehearsed program does with PyTorch's CUDA allocator: waits for `torch` without importing it, turns
its bounded history on when CUDA is first used, and writes a snapshot at out-of-memory errors and at the end.

MEMVIZ_REHEARSAL_HOOK is a JSON object: "log" (the file of JSON lines for memviz), "output" (the folder of the snapshots),
"record" (false: only the program itself records), "max_entries", "steps" (stop after this many optimizer steps, or null),
"seconds" (stop after this time, or null), "no_init" (whether large weights on the CPU stay without initial values), "requests"
(to send to an inference server that is ready, or null), "values" ("on": small ones are computed; "auto": the process ends where
it waits for one), "outside_given" (whether the user set the memory outside PyTorch), "ranks" (of the job in which this process is
one rank, or null), "present" (the ranks that are not absent), "meeting" (the folder in which they meet), "most_present" (how many
there may be), and "mark" (stored in every snapshot under the key memviz_rehearsal).

Nothing in here may break the program: failures are logged, once, and the program continues. PyTorch 2.4 to 2.13.
"""

import atexit
import ctypes
import functools
import json
import os
import pickle
import signal
import sys
import threading

import memviz_rehearsal_checks
import memviz_rehearsal_ddp
import memviz_rehearsal_deepspeed
import memviz_rehearsal_encoders
import memviz_rehearsal_endings
import memviz_rehearsal_flashinfer
import memviz_rehearsal_init
import memviz_rehearsal_launchers
import memviz_rehearsal_methods
import memviz_rehearsal_model
import memviz_rehearsal_objects
import memviz_rehearsal_reads
import memviz_rehearsal_requests
import memviz_rehearsal_runtime
import memviz_rehearsal_server
import memviz_rehearsal_sleep
import memviz_rehearsal_splits
import memviz_rehearsal_symmetric
import memviz_rehearsal_tries
import memviz_rehearsal_world
from memviz_recording import files, history, ranks, waiting
from memviz_recording.snapshot import with_keepers

_MARK_KEY = "memviz_rehearsal"
_MOST_OOM_FILES = 3


class _State:
    settings = {}
    torch = None
    history = None
    reads = None
    interrupted_at = None
    has_ended = False
    failures = set()
    looks = steps = 0
    steps_of = {}
    oom_files = ooms = 0
    peaks = {}  # device: (reserved, allocated) before the program reset its peaks
    lock = threading.RLock()


def install():
    text = os.environ.get("MEMVIZ_REHEARSAL_HOOK")
    if not text:
        return
    _State.settings = json.loads(text)
    memviz_rehearsal_deepspeed.install(waiting.when_imported)
    memviz_rehearsal_ddp.install(waiting.when_imported)
    memviz_rehearsal_flashinfer.install(waiting.when_imported, _guarded)
    memviz_rehearsal_runtime.install(waiting.when_imported, _guarded)
    if _State.settings["ranks"]:
        memviz_rehearsal_launchers.install(waiting.when_imported)
    waiting.when_imported("torch", lambda torch: _guarded(_on_torch, torch))
    memviz_rehearsal_server.install(_State.settings, _log, _guarded)


def _log(event, **facts):
    line = json.dumps({"event": event, "pid": os.getpid(), **facts}) + "\n"
    file = os.open(_State.settings["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


def _guarded(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        text = f"{function.__name__.strip('_')}: {type(error).__name__}: {error}".splitlines()[0][:300]
        if text not in _State.failures:
            _State.failures.add(text)
            try:
                _log("failure", text=text)
            except Exception:
                pass
        return None


def _on_torch(torch):
    _State.torch = torch
    _log("torch", version=str(torch.__version__), cuda=torch.version.cuda)
    if not hasattr(torch._C, "_cuda_memorySnapshot"):
        return  # built without CUDA
    if _State.settings["no_init"]:
        _guarded(memviz_rehearsal_init.install, torch)
    _guarded(_answer_for_other_ranks)
    _guarded(memviz_rehearsal_splits.install, torch)
    _guarded(memviz_rehearsal_checks.install, torch)
    _guarded(_mark_snapshots)
    _guarded(_watch_own_recorder)
    _guarded(_keep_peaks)
    _guarded(_count_steps)
    _guarded(memviz_rehearsal_tries.install, _State.settings["seconds"], _stop)
    atexit.register(_at_exit)
    _guarded(memviz_rehearsal_endings.install, _end_early, _look, _State.settings["log"])
    torch.cuda._lazy_call(lambda: _guarded(_on_cuda))
    for worker in memviz_rehearsal_server.WORKERS:  # SGLang's uses CUDA before it is imported
        waiting.when_imported(worker, lambda _: _guarded(_on_worker))


def _answer_for_other_ranks():
    if _State.settings["ranks"]:
        memviz_rehearsal_symmetric.install(waiting.when_imported)
        memviz_rehearsal_world.install(_State.torch, _State.settings, _log)
    else:
        memviz_rehearsal_objects.install(_State.torch)


def _mark_snapshots():
    """Marks every snapshot that Python takes as rehearsed, whoever takes it."""
    take = _State.torch._C._cuda_memorySnapshot

    @functools.wraps(take)
    def take_marked(*arguments, **named):
        snapshot = take(*arguments, **named)
        _guarded(_add_mark, snapshot)
        return snapshot

    _State.torch._C._cuda_memorySnapshot = take_marked


def _add_mark(snapshot):
    if _State.settings["values"] == "on" or memviz_rehearsal_encoders.has_run():
        _guarded(memviz_rehearsal_reads.leave_own_frames_out, snapshot)
    snapshot[_MARK_KEY] = dict(_State.settings["mark"])
    settings = snapshot.get("allocator_settings")
    if isinstance(settings, dict):
        settings[_MARK_KEY] = dict(_State.settings["mark"])


def _watch_own_recorder():
    """A program that records its own history gets the history that it requested."""
    _State.history = history.Yielding(_State.torch)


def _keep_peaks():
    """Remembers peaks that the program resets in torch.cuda.memory_stats(), for the peak of the whole run."""
    reset = _State.torch._C._cuda_resetPeakMemoryStats

    @functools.wraps(reset)
    def keep_and_reset(device):
        _guarded(_remember_peaks, device)
        return reset(device)

    _State.torch._C._cuda_resetPeakMemoryStats = keep_and_reset


def _remember_peaks(device):
    stats = _State.torch.cuda.memory_stats(device)
    before = _State.peaks.get(device, (0, 0))
    _State.peaks[device] = (
        max(before[0], stats.get("reserved_bytes.all.peak", 0)),
        max(before[1], stats.get("allocated_bytes.all.peak", 0)),
    )


def _on_worker():
    if not _State.settings["outside_given"]:
        memviz_rehearsal_model.start_without_kernels()
    if _State.torch.cuda.is_initialized():
        _end_when_asked()


def _on_cuda():
    _log("cuda", rank=ranks.rank())
    is_server = memviz_rehearsal_server.has_worker()
    if is_server:
        _guarded(_end_when_asked)
    ends_waiting = _State.settings["values"] == "auto" and not is_server
    _State.reads = memviz_rehearsal_reads.Reads(_State.torch, _log, _end_waiting if ends_waiting else None)
    _guarded(_State.reads.watch, not is_server)
    memviz_rehearsal_encoders.install(_State.reads)
    if _State.settings["values"] == "on":
        _guarded(_compute_values)
    _State.torch._C._cuda_attach_out_of_memory_observer(lambda *facts: _guarded(_on_oom, *facts))
    if _State.settings["record"]:
        _State.history.start(_State.settings["max_entries"])


def _compute_values():
    mode = memviz_rehearsal_methods.load_later("memviz_rehearsal_values").install(_State.reads)
    memviz_rehearsal_methods.load_later("memviz_rehearsal_backward").keep_out(mode)


def _end_waiting(line, count):
    """Ends this process, which reads zeros and waits for another value. memviz runs the program again with values."""
    text = f"read {count:,} times at {line}: it waits for a value that is never computed, and is ended"
    print(f"memviz: rehearse: {text}", file=sys.stderr, flush=True)
    _log("waits", line=line, count=count)
    _stop()


def _end_when_asked():
    """A server's workers are children of multiprocessing, which run no exit handlers, or are killed."""
    if "multiprocessing.util" in sys.modules:
        sys.modules["multiprocessing.util"].Finalize(None, _guarded, (_end,), exitpriority=0)
    if threading.current_thread() is threading.main_thread():
        signal.signal(memviz_rehearsal_requests.END_SIGNAL, lambda *_: _end_worker())
        _log("holder")


def _end_worker():
    for last_act in (memviz_rehearsal_endings.unlink_semaphores, _end, _write_report):
        _guarded(last_act)


def _on_oom(device, asked_bytes, device_bytes, free_bytes):
    is_optional = getattr(ctypes.CDLL(None), "memviz_rehearsal_is_optional", None)
    if is_optional is not None and is_optional(ctypes.c_uint64(asked_bytes)):
        return  # PyTorch runs the convolution without this workspace
    with _State.lock:
        _State.ooms += 1
        file = None
        if _State.settings["record"] and _State.oom_files < _MOST_OOM_FILES:
            _State.oom_files += 1
            file = _write_snapshot(f"-oom{_State.oom_files}")
    _log("oom", rank=ranks.rank(), device=device, asked_bytes=asked_bytes, free_bytes=free_bytes, file=file)


def _count_steps():
    from torch.optim.optimizer import register_optimizer_step_post_hook

    register_optimizer_step_post_hook(lambda optimizer, *_: _guarded(_on_step, optimizer))


def _on_step(optimizer):
    # The maximum steps of one optimizer: a program may have many, even one for each parameter.
    steps = _State.steps_of.get(id(optimizer), 0) + 1
    _State.steps_of[id(optimizer)] = steps
    _State.steps = max(_State.steps, steps)
    if _State.reads is not None:
        _State.reads.on_step()
    wanted = _State.settings["steps"]
    if wanted is not None and _State.steps >= wanted:
        _stop()


def _stop():
    """Ends this process as if the program were finished. Not by an exception: programs catch those, and save
    checkpoints of a model whose weights are zeros."""
    _guarded(_end, True)
    _guarded(_end_workers)
    _guarded(_write_report)
    for stream in (sys.stdout, sys.stderr):
        _guarded(stream.flush)
    memviz_rehearsal_endings.exit_at_once(0)


def _end_early(frame):
    """Runs before a signal or os._exit() ends this process, including one that was forked before it used CUDA."""
    if not _State.torch.cuda.is_initialized():
        return
    if frame is not None and not _State.has_ended:
        _State.interrupted_at = _place(frame)
    _guarded(_end)
    _guarded(_write_report)


def _place(frame):
    return memviz_rehearsal_reads.place_text(memviz_rehearsal_reads.line_of_program(frame, _State.torch))


def _look(frame):
    """Reports the progress of the program at SIGUSR1, and lets it continue."""
    text = f"at {_place(frame)}"
    if _State.torch.cuda.is_initialized():
        peak = max((device["peak_reserved_bytes"] for device in _guarded(_device_facts) or []), default=0)
        text += f"; PyTorch reserved {peak / (1 << 20):,.0f} MiB at the peak so far"
        _State.looks += 1
        file = _guarded(_write_snapshot, f"-at{_State.looks}") if _State.settings["record"] else None
        text += f"; {file}" if file else ""
    print(f"memviz: rehearse: {text}", file=sys.stderr, flush=True)


def _interrupted_at():
    """Returns the line that a signal or Ctrl-C interrupted; None if there was none."""
    if not isinstance(getattr(sys, "last_value", None), KeyboardInterrupt):
        return _State.interrupted_at
    trace = sys.last_value.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return None if trace is None else _place(trace.tb_frame)


def _end_workers():
    multiprocessing = sys.modules.get("multiprocessing")
    for process in multiprocessing.active_children() if multiprocessing else ():
        if process.daemon:
            process.terminate()


def _write_report():
    """The made-up GPU writes its report when the process exits; os._exit() would skip it."""
    report = getattr(ctypes.CDLL(None), "memviz_rehearsal_report", None)
    if report is not None:
        report()


def _at_exit():
    try:
        _guarded(_end)
    finally:  # a second Ctrl-C comes here as well
        if isinstance(getattr(sys, "last_value", None), KeyboardInterrupt):
            memviz_rehearsal_endings.end_by_interrupt()


def _end(is_stopped=False):
    with _State.lock:
        if _State.has_ended:
            return
        _State.has_ended = True
    memviz_rehearsal_server.log_uncaught(getattr(sys, "last_value", None))
    _guarded(memviz_rehearsal_sleep.end_last_phase)
    torch = _State.torch
    if not torch.cuda.is_initialized():
        return
    if _State.reads is not None:
        _guarded(_State.reads.rest)
        _guarded(_State.reads.log)
    with memviz_rehearsal_endings.undisturbed():
        devices = _guarded(_device_facts) or []
        file = _guarded(_write_snapshot, "") if _State.settings["record"] else None
        last = getattr(sys, "last_value", None)
        _log(
            "end",
            rank=ranks.rank(),
            steps=_State.steps,
            stopped=is_stopped,
            other_reads=_State.reads.other_count if _State.reads is not None else 0,
            **(_guarded(memviz_rehearsal_methods.compiler_facts, _State.settings["values"] == "on") or {}),
            own_recorder=_State.history is not None and _State.history.was_of_program,
            interrupted_at=_guarded(_interrupted_at),
            uncaught_oom=isinstance(last, torch.cuda.OutOfMemoryError),
            ooms=_State.ooms,
            file=file,
            devices=devices,
        )
    memviz_rehearsal_endings.let_threads_rest()


def _machine_device(device):
    """Returns the number of a device without CUDA_VISIBLE_DEVICES, as in the report of the made-up GPU."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    number = visible[device].strip() if device < len(visible) else ""
    return int(number) if number.isdigit() else device


def _device_facts():
    facts = []
    for device in range(_State.torch.cuda.device_count()):
        _remember_peaks(device)
        stats = _State.torch.cuda.memory_stats(device)
        reserved, allocated = _State.peaks[device]
        if reserved == 0:
            continue
        facts.append(
            {
                "device": _machine_device(device),
                "peak_reserved_bytes": reserved,
                "peak_allocated_bytes": allocated,
                "ooms": stats.get("num_ooms", 0),
                "retries": stats.get("num_alloc_retries", 0),
            }
        )
    return facts


def _write_snapshot(ending):
    """Writes the file whole or not at all, never over another; returns its path."""
    rank = ranks.rank()
    stem = "rehearsal-" + (f"rank{rank}-" if rank is not None else "") + f"{os.getpid()}{ending}"
    snapshot = with_keepers(_State.torch)
    path = os.path.join(_State.settings["output"], f"{stem}.pickle")
    return files.write_new(path, lambda file: pickle.dump(snapshot, file, protocol=4))

"""Records what a rehearsed program does with PyTorch's CUDA allocator: waits for `torch` without importing it, turns
its bounded history on when CUDA is first used, and writes a snapshot at out-of-memory errors and at the end.

MEMVIZ_REHEARSAL_HOOK is a JSON object: "log" (the file of JSON lines for memviz), "output" (the folder of the snapshots),
"record" (false: only the program itself records), "max_entries", "steps" (stop after this many optimizer steps, or null),
"seconds" (stop after this time, or null), "no_init" (whether large weights on the CPU stay without initial values), "requests"
(to send to an inference server that is ready, or null), "values" ("on": small ones are computed; "auto": the process ends where
it waits for one), "outside_given" (whether the user set the memory outside PyTorch), "ranks" (of the job in which this process is
one rank, or null), "present" (the ranks that are not absent), "meeting" (the folder in which they meet), "most_present" (how many
there may be), and "mark" (stored in every snapshot under the key memviz_rehearsal).

PyTorch 2.4 to 2.13.
"""

import atexit
import ctypes
import functools
import os
import pickle
import signal
import sys
import threading

from memviz_recording import files, history, ranks
from memviz_recording.snapshot import with_keepers
from memviz_rehearsal.journal import SETTINGS, guarded, log
from memviz_rehearsal.job import ddp, deepspeed, objects, splits, symmetric, world
from memviz_rehearsal.process import checks, counters, endings, initial_values, launchers, methods, peaks, runtime, tries
from memviz_rehearsal.process.methods import act_at_imports
from memviz_rehearsal.server import encoders, flashinfer, outside, requests, sleep, watch as server
from memviz_rehearsal.values import reads

_MARK_KEY = "memviz_rehearsal"
_MOST_OOM_FILES = 3


class _State:
    torch = None
    history = None
    reads = None
    interrupted_at = None
    has_ended = False
    looks = steps = 0
    steps_of = {}
    oom_files = ooms = 0
    lock = threading.RLock()


def install():
    if not SETTINGS:
        return
    for part in (deepspeed, ddp, flashinfer, runtime):
        part.install(act_at_imports)
    if SETTINGS["ranks"]:
        launchers.install(act_at_imports)
    act_at_imports([("torch", _on_torch)])
    server.install()


def _on_torch(torch):
    _State.torch = torch
    log("torch", version=str(torch.__version__), cuda=torch.version.cuda)
    if not hasattr(torch._C, "_cuda_memorySnapshot"):
        return  # built without CUDA
    if SETTINGS["no_init"]:
        guarded(initial_values.install, torch)
    guarded(_answer_for_other_ranks)
    guarded(splits.install, torch)
    guarded(checks.install, torch)
    guarded(counters.install, torch)
    guarded(_mark_snapshots)
    guarded(_watch_own_recorder)
    guarded(peaks.install, torch)
    guarded(_count_steps)
    guarded(tries.install, SETTINGS["seconds"], _stop)
    atexit.register(_at_exit)
    guarded(endings.install, _end_early, _look)
    torch.cuda._lazy_call(lambda: guarded(_on_cuda))
    act_at_imports([(worker, _on_worker) for worker in server.WORKERS])  # SGLang's uses CUDA before it is imported


def _answer_for_other_ranks():
    if SETTINGS["ranks"]:
        symmetric.install(act_at_imports)
        world.install(_State.torch, SETTINGS, log)
    else:
        objects.install(_State.torch)


def _mark_snapshots():
    """Marks every snapshot that Python takes as rehearsed, whoever takes it."""
    take = _State.torch._C._cuda_memorySnapshot

    @functools.wraps(take)
    def take_marked(*arguments, **named):
        snapshot = take(*arguments, **named)
        guarded(_add_mark, snapshot)
        return snapshot

    _State.torch._C._cuda_memorySnapshot = take_marked


def _add_mark(snapshot):
    if SETTINGS["values"] == "on" or encoders.has_run():
        guarded(reads.leave_own_frames_out, snapshot)
    snapshot[_MARK_KEY] = dict(SETTINGS["mark"])
    settings = snapshot.get("allocator_settings")
    if isinstance(settings, dict):
        settings[_MARK_KEY] = dict(SETTINGS["mark"])


def _watch_own_recorder():
    """A program that records its own history gets the history that it requested."""
    _State.history = history.Yielding(_State.torch)


def _on_worker(_):
    if not SETTINGS["outside_given"]:
        outside.start_without_kernels()
    if _State.torch.cuda.is_initialized():
        _end_when_asked()


def _on_cuda():
    log("cuda", rank=ranks.rank())
    is_server = server.has_worker()
    if is_server:
        guarded(_end_when_asked)
    ends_waiting = SETTINGS["values"] == "auto" and not is_server
    _State.reads = reads.Reads(_State.torch, log, _end_waiting if ends_waiting else None)
    guarded(_State.reads.watch, not is_server)
    encoders.install(_State.reads)
    if SETTINGS["values"] == "on":
        guarded(_compute_values)
    _State.torch._C._cuda_attach_out_of_memory_observer(lambda *facts: guarded(_on_oom, *facts))
    if SETTINGS["record"]:
        _State.history.start(SETTINGS["max_entries"])


def _compute_values():
    from memviz_rehearsal.values import backward, values  # take torch

    backward.keep_out(values.install(_State.reads))


def _end_waiting(line, count):
    """Ends this process, which reads zeros and waits for another value. memviz runs the program again with values."""
    text = f"read {count:,} times at {line}: it waits for a value that is never computed, and is ended"
    print(f"memviz: rehearse: {text}", file=sys.stderr, flush=True)
    log("waits", line=line, count=count)
    _stop()


def _end_when_asked():
    """A server's workers are children of multiprocessing, which run no exit handlers, or are killed."""
    if "multiprocessing.util" in sys.modules:
        sys.modules["multiprocessing.util"].Finalize(None, guarded, (_end,), exitpriority=0)
    if threading.current_thread() is threading.main_thread():
        signal.signal(requests.END_SIGNAL, lambda *_: _end_worker())
        log("holder")


def _end_worker():
    for last_act in (endings.unlink_semaphores, _end, _write_report):
        guarded(last_act)


def _on_oom(device, asked_bytes, device_bytes, free_bytes):
    is_optional = getattr(ctypes.CDLL(None), "memviz_rehearsal_is_optional", None)
    if is_optional is not None and is_optional(ctypes.c_uint64(asked_bytes)):
        return  # PyTorch runs the convolution without this workspace
    with _State.lock:
        _State.ooms += 1
        file = None
        if SETTINGS["record"] and _State.oom_files < _MOST_OOM_FILES:
            _State.oom_files += 1
            file = _write_snapshot(f"-oom{_State.oom_files}")
    log("oom", rank=ranks.rank(), device=device, asked_bytes=asked_bytes, free_bytes=free_bytes, file=file)


def _count_steps():
    from torch.optim.optimizer import register_optimizer_step_post_hook

    register_optimizer_step_post_hook(lambda optimizer, *_: guarded(_on_step, optimizer))


def _on_step(optimizer):
    # The maximum steps of one optimizer: a program may have many, even one for each parameter.
    steps = _State.steps_of.get(id(optimizer), 0) + 1
    _State.steps_of[id(optimizer)] = steps
    _State.steps = max(_State.steps, steps)
    if _State.reads is not None:
        _State.reads.on_step()
    wanted = SETTINGS["steps"]
    if wanted is not None and _State.steps >= wanted:
        _stop()


def _stop():
    """Ends this process as if the program were finished. Not by an exception: programs catch those, and save
    checkpoints of a model whose weights are zeros."""
    guarded(_end, True)
    guarded(_end_workers)
    guarded(_write_report)
    for stream in (sys.stdout, sys.stderr):
        guarded(stream.flush)
    endings.exit_at_once(0)


def _end_early(frame):
    """Runs before a signal or os._exit() ends this process, including one that was forked before it used CUDA."""
    if not _State.torch.cuda.is_initialized():
        return
    if frame is not None and not _State.has_ended:
        _State.interrupted_at = _place(frame)
    guarded(_end)
    guarded(_write_report)


def _place(frame):
    return reads.place_text(reads.line_of_program(frame, _State.torch))


def _look(frame):
    """Reports the progress of the program at SIGUSR1, and lets it continue."""
    text = f"at {_place(frame)}"
    if _State.torch.cuda.is_initialized():
        peak = max((device["peak_reserved_bytes"] for device in guarded(peaks.device_facts, _State.torch) or []), default=0)
        text += f"; PyTorch reserved {peak / (1 << 20):,.0f} MiB at the peak so far"
        _State.looks += 1
        file = guarded(_write_snapshot, f"-at{_State.looks}") if SETTINGS["record"] else None
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
        guarded(_end)
    finally:  # a second Ctrl-C comes here as well
        if isinstance(getattr(sys, "last_value", None), KeyboardInterrupt):
            endings.end_by_interrupt()


def _end(is_stopped=False):
    with _State.lock:
        if _State.has_ended:
            return
        _State.has_ended = True
    server.log_uncaught(getattr(sys, "last_value", None))
    guarded(sleep.end_last_phase)
    torch = _State.torch
    if not torch.cuda.is_initialized():
        return
    if _State.reads is not None:
        guarded(_State.reads.rest)
        guarded(_State.reads.log)
    with endings.undisturbed():
        devices = guarded(peaks.device_facts, _State.torch) or []
        file = guarded(_write_snapshot, "") if SETTINGS["record"] else None
        last = getattr(sys, "last_value", None)
        log(
            "end",
            rank=ranks.rank(),
            steps=_State.steps,
            stopped=is_stopped,
            other_reads=_State.reads.other_count if _State.reads is not None else 0,
            **(guarded(methods.compiler_facts, SETTINGS["values"] == "on") or {}),
            own_recorder=_State.history is not None and _State.history.was_of_program,
            interrupted_at=guarded(_interrupted_at),
            uncaught_oom=isinstance(last, torch.cuda.OutOfMemoryError),
            ooms=_State.ooms,
            file=file,
            devices=devices,
        )
    endings.let_threads_rest()


def _write_snapshot(ending):
    """Writes the file whole or not at all, never over another; returns its path."""
    rank = ranks.rank()
    stem = "rehearsal-" + (f"rank{rank}-" if rank is not None else "") + f"{os.getpid()}{ending}"
    snapshot = with_keepers(_State.torch)
    path = os.path.join(SETTINGS["output"], f"{stem}.pickle")
    return files.write_new(path, lambda file: pickle.dump(snapshot, file, protocol=4))

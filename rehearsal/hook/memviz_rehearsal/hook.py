"""Records what a rehearsed program does with PyTorch's CUDA allocator: waits for `torch` without importing it, turns
its bounded history on when CUDA is first used, and writes a snapshot at out-of-memory errors and at the end.

MEMVIZ_REHEARSAL_HOOK is a JSON object: "log" (the file of JSON lines for memviz), "output" (the folder of the snapshots),
"record" (false: only the program itself records), "max_entries", "steps" (stop after this many optimizer steps, or null),
"seconds" (stop after this time, or null), "no_init" (whether large weights on the CPU stay without initial values), "requests"
(to send to an inference server that is ready, or null), "values" ("on": small ones are computed; "auto": the process ends where
it waits for one), "outside_given" (whether the user set the memory outside PyTorch), "shares_memory" (whether CPU and GPU have
one memory), "ranks" (of the job in which this process is one rank, or null), "present" (the ranks that are not absent),
"meeting" (the folder in which they meet), "most_present" (how many there may be), and "mark" (stored in every snapshot under
the key memviz_rehearsal).

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
from memviz_rehearsal.journal import SETTINGS, failures, guarded, log
from memviz_rehearsal.job import ddp, deepspeed, objects, splits, symmetric, world
from memviz_rehearsal.process import checks, counters, endings, host_memory, initial_values, kernels, launchers, methods, peaks, runtime, tries
from memviz_rehearsal.process.methods import act_at_imports
from memviz_rehearsal.server import flashinfer, outside, requests, watch
from memviz_rehearsal.server.log import error_text
from memviz_rehearsal.values import reads

_MARK_KEY = "memviz_rehearsal"
_MOST_OOM_FILES = 3


class Rehearsal:
    """The rehearsed program in this process."""

    def __init__(self):
        self._torch = None
        self._history = None
        self._peaks = None
        self.reads = None
        self._server = watch.ServerWatch()
        self._interrupted_at_line = None
        self._has_ended = False
        self._looks = self._steps = 0
        self._steps_of = {}
        self._oom_files = self._ooms = 0
        self._lock = threading.RLock()

    def install(self):
        for part in (deepspeed, ddp, flashinfer, host_memory, runtime):
            part.install(act_at_imports)
        if SETTINGS["ranks"]:
            launchers.install(act_at_imports)
        act_at_imports([("torch", self._on_torch)])
        self._server.install()

    def _on_torch(self, torch):
        self._torch, self._peaks = torch, peaks.Peaks(torch)
        log("torch", version=str(torch.__version__), cuda=torch.version.cuda)
        if not hasattr(torch._C, "_cuda_memorySnapshot"):
            return  # built without CUDA
        if SETTINGS["no_init"]:
            guarded(initial_values.install, torch)
        guarded(self._answer_for_other_ranks)
        guarded(splits.install, torch)
        guarded(checks.install, torch)
        guarded(counters.install, torch)
        guarded(self._mark_snapshots)
        guarded(self._watch_own_recorder)
        guarded(self._peaks.install)
        guarded(self._count_steps)
        guarded(tries.install, SETTINGS["seconds"], self._stop)
        atexit.register(self._at_exit)
        guarded(endings.install, self._end_early, self._look)
        torch.cuda._lazy_call(lambda: guarded(self._on_cuda))
        act_at_imports([(worker, self._on_worker) for worker in watch.WORKERS])  # SGLang's uses CUDA before it is imported

    def _answer_for_other_ranks(self):
        if SETTINGS["ranks"]:
            symmetric.install(act_at_imports)
            world.install(self._torch, SETTINGS, log)
        else:
            objects.install(self._torch)

    def _mark_snapshots(self):
        """Marks every snapshot that Python takes as rehearsed, whoever takes it."""
        take = self._torch._C._cuda_memorySnapshot

        @functools.wraps(take)
        def take_marked(*arguments, **named):
            snapshot = take(*arguments, **named)
            guarded(self._add_mark, snapshot)
            return snapshot

        self._torch._C._cuda_memorySnapshot = take_marked

    def _add_mark(self, snapshot):
        if SETTINGS["values"] == "on" or self._server.encoders.have_run():
            guarded(reads.leave_own_frames_out, snapshot)
        snapshot[_MARK_KEY] = dict(SETTINGS["mark"])
        settings = snapshot.get("allocator_settings")
        if isinstance(settings, dict):
            settings[_MARK_KEY] = dict(SETTINGS["mark"])

    def _watch_own_recorder(self):
        """A program that records its own history gets the history that it requested."""
        self._history = history.Yielding(self._torch)

    def _on_worker(self, _):
        if not SETTINGS["outside_given"]:
            outside.start_without_kernels()
        if self._torch.cuda.is_initialized():
            self._end_when_asked()

    def _on_cuda(self):
        log("cuda", rank=ranks.rank())
        guarded(kernels.log_lack, self._torch)
        is_server = watch.has_worker()
        if is_server:
            guarded(self._end_when_asked)
        ends_waiting = SETTINGS["values"] == "auto" and not is_server
        self.reads = reads.Reads(self._torch, log, self._end_waiting if ends_waiting else None)
        guarded(self.reads.watch, not is_server)
        self._server.encoders.reads = self.reads
        if SETTINGS["values"] == "on":
            guarded(self._compute_values)
        self._torch._C._cuda_attach_out_of_memory_observer(lambda *facts: guarded(self._on_oom, *facts))
        if SETTINGS["record"]:
            self._history.start(SETTINGS["max_entries"])

    def _compute_values(self):
        from memviz_rehearsal.values import backward, compiling, values  # take torch

        mode = values.install(self.reads, SETTINGS["present"] if SETTINGS["ranks"] else None)
        backward.keep_out(mode)
        compiling.keep_on(mode)

    def _end_waiting(self, line, count):
        """Ends this process, which reads zeros and waits for another value. memviz runs the program again with values."""
        text = f"read {count:,} times at {line}: it waits for a value that is never computed, and is ended"
        print(f"memviz: rehearse: {text}", file=sys.stderr, flush=True)
        log("waits", line=line, count=count)
        self._stop()

    def _end_when_asked(self):
        """A server's workers are children of multiprocessing, which run no exit handlers, or are killed."""
        if "multiprocessing.util" in sys.modules:
            sys.modules["multiprocessing.util"].Finalize(None, guarded, (self._end,), exitpriority=0)
        if threading.current_thread() is threading.main_thread():
            signal.signal(requests.END_SIGNAL, lambda *_: self._end_worker())
            log("holder")

    def _end_worker(self):
        for last_act in (endings.unlink_semaphores, self._end, _write_report):
            guarded(last_act)

    def _on_oom(self, device, asked_bytes, device_bytes, free_bytes):
        is_optional = getattr(ctypes.CDLL(None), "memviz_rehearsal_is_optional", None)
        if is_optional is not None and is_optional(ctypes.c_uint64(asked_bytes)):
            return  # PyTorch runs the convolution without this workspace
        with self._lock:
            self._ooms += 1
            file = None
            if SETTINGS["record"] and self._oom_files < _MOST_OOM_FILES:
                self._oom_files += 1
                file = self._write_snapshot(f"-oom{self._oom_files}")
        log("oom", rank=ranks.rank(), device=device, asked_bytes=asked_bytes, free_bytes=free_bytes, file=file)

    def _count_steps(self):
        from torch.optim.optimizer import register_optimizer_step_post_hook

        register_optimizer_step_post_hook(lambda optimizer, *_: guarded(self._on_step, optimizer))

    def _on_step(self, optimizer):
        # The maximum steps of one optimizer: a program may have many, even one for each parameter.
        steps = self._steps_of.get(id(optimizer), 0) + 1
        self._steps_of[id(optimizer)] = steps
        self._steps = max(self._steps, steps)
        if self.reads is not None:
            self.reads.on_step()
        wanted = SETTINGS["steps"]
        if wanted is not None and self._steps >= wanted:
            self._stop()

    def _stop(self):
        """Ends this process as if the program were finished. Not by an exception: programs catch those, and save
        checkpoints of a model whose weights are zeros."""
        guarded(self._end, True)
        guarded(_end_workers)
        guarded(_write_report)
        for stream in (sys.stdout, sys.stderr):
            guarded(stream.flush)
        endings.exit_at_once(0)

    def _end_early(self, frame):
        """Runs before a signal or os._exit() ends this process, including one that was forked before it used CUDA."""
        if not self._torch.cuda.is_initialized():
            return
        if frame is not None and not self._has_ended:
            self._interrupted_at_line = self._place(frame)
        guarded(self._end)
        guarded(_write_report)

    def _place(self, frame):
        return reads.place_text(reads.line_of_program(frame, self._torch))

    def _look(self, frame):
        """Reports the progress of the program at SIGUSR1, and lets it continue."""
        text = f"at {self._place(frame)}"
        if self._torch.cuda.is_initialized():
            peak = max((device["peak_reserved_bytes"] for device in guarded(self._peaks.device_facts) or []), default=0)
            text += f"; PyTorch reserved {peak / (1 << 20):,.0f} MiB at the peak so far"
            self._looks += 1
            file = guarded(self._write_snapshot, f"-at{self._looks}") if SETTINGS["record"] else None
            text += f"; {file}" if file else ""
        print(f"memviz: rehearse: {text}", file=sys.stderr, flush=True)

    def _interrupted_at(self):
        """Returns the line that a signal or Ctrl-C interrupted; None if there was none."""
        if not isinstance(getattr(sys, "last_value", None), KeyboardInterrupt):
            return self._interrupted_at_line
        trace = sys.last_value.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        return None if trace is None else self._place(trace.tb_frame)

    def _at_exit(self):
        try:
            guarded(self._end)
        finally:  # a second Ctrl-C comes here as well
            if isinstance(getattr(sys, "last_value", None), KeyboardInterrupt):
                endings.end_by_interrupt()

    def _end(self, is_stopped=False):
        with self._lock:
            if self._has_ended:
                return
            self._has_ended = True
        error = getattr(sys, "last_value", None)
        self._server.log_uncaught(error)
        if error is not None and not isinstance(error, KeyboardInterrupt):
            guarded(lambda: log("error", text=error_text(error)))
        guarded(self._server.sleep.end_last_phase)
        torch = self._torch
        if not torch.cuda.is_initialized():
            return
        if self.reads is not None:
            guarded(self.reads.rest)
            guarded(self.reads.log)
        with endings.undisturbed():
            devices = guarded(self._peaks.device_facts) or []
            file = guarded(self._write_snapshot, "") if SETTINGS["record"] else None
            last = getattr(sys, "last_value", None)
            log(
                "end",
                rank=ranks.rank(),
                steps=self._steps,
                stopped=is_stopped,
                other_reads=self.reads.other_count if self.reads is not None else 0,
                **(guarded(methods.compiler_facts, SETTINGS["values"] == "on") or {}),
                own_recorder=self._history is not None and self._history.was_of_program,
                interrupted_at=guarded(self._interrupted_at),
                uncaught_oom=isinstance(last, torch.cuda.OutOfMemoryError),
                ooms=self._ooms,
                file=file,
                devices=devices,
            )
            failures.log_counts()
        endings.let_threads_rest()

    def _write_snapshot(self, ending):
        """Writes the file whole or not at all, never over another; returns its path."""
        rank = ranks.rank()
        stem = "rehearsal-" + (f"rank{rank}-" if rank is not None else "") + f"{os.getpid()}{ending}"
        snapshot = with_keepers(self._torch)
        path = os.path.join(SETTINGS["output"], f"{stem}.pickle")
        return files.write_new(path, lambda file: pickle.dump(snapshot, file, protocol=4))


def install():
    """Watches this process, if it is rehearsed."""
    if SETTINGS:
        Rehearsal().install()


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

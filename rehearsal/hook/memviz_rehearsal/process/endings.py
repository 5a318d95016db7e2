"""Handles ends of a program that run no exit handlers (SIGTERM, os._exit()), and SIGUSR1, after which it continues.
A program that handles these signals itself keeps its handlers. Also waits for threads at an end that runs exit
handlers, and for a process that is writing its recording before another kills it."""

import contextlib
import os
import signal
import sys
import threading
import time

from memviz_rehearsal.journal import SETTINGS

exit_at_once = os._exit
_kill = os.kill
_MOST_PATIENCE_SECONDS = 60


def install(end, look):
    """Calls `end(frame)` before the process ends, with the frame where it was or None, and `look(frame)` at SIGUSR1."""
    os.kill = _kill_later

    @_named_as(exit_at_once)
    def end_and_exit(status):
        end(None)
        exit_at_once(status)

    os._exit = end_and_exit
    _handle(signal.SIGTERM, lambda number, frame: _end_by(number, end, frame))
    _handle(signal.SIGUSR1, lambda _, frame: look(frame))


def _named_as(function):
    def named(replacement):
        replacement.__name__ = replacement.__qualname__ = function.__name__
        replacement.__doc__ = function.__doc__
        return replacement

    return named


@_named_as(_kill)
def _kill_later(process, number):
    """vLLM kills a worker 5 s after it asks it to end, and a recording may take longer."""
    end = time.monotonic() + _MOST_PATIENCE_SECONDS
    while number == signal.SIGKILL and os.path.exists(_mark_of(process)) and time.monotonic() < end:
        time.sleep(0.05)
    _kill(process, number)


def _mark_of(process):
    return f"{SETTINGS['log']}-ending-{process}"  # the same path in all processes of the program


@contextlib.contextmanager
def undisturbed():
    """Until this context ends, or for a minute, no process of the program kills this one."""
    mark = _mark_of(os.getpid())
    with contextlib.suppress(OSError):
        open(mark, "x").close()
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.unlink(mark)


def _handle(number, handler):
    """Not in forked children: those that are busy in C would not end at SIGTERM any more."""
    if signal.getsignal(number) is not signal.SIG_DFL:
        return
    signal.signal(number, handler)

    def reset():
        if signal.getsignal(number) is handler:
            signal.signal(number, signal.SIG_DFL)

    os.register_at_fork(after_in_child=reset)


def _end_by(number, end, frame):
    signal.signal(number, signal.SIG_IGN)  # `timeout` sends it to memviz as well, which hands it on
    end(frame)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def end_by_interrupt():
    """Lets Python end by SIGINT after an uncaught KeyboardInterrupt. Python remembers the interrupt only until a
    string is compiled and run, as many imports do (pythonrun.c, run_eval_code_obj), and then ends with exit code 1."""
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        pass


def let_threads_rest():
    """Waits until no other thread runs, at most half a second. A PyTorch thread that drops its last reference to a
    Python object while the interpreter is ending aborts the process (pytorch issue 38228, Python 3.9 to 3.13).
    Kernels that take no time make this likely after a last backward()."""
    end = time.monotonic() + 0.5
    resting = 0
    while resting < 3 and time.monotonic() < end:
        time.sleep(0.002)  # lets go of the interpreter's lock
        resting = resting + 1 if _others_rest() else 0


def _others_rest():
    for thread in os.listdir("/proc/self/task"):
        if int(thread) == threading.get_native_id():
            continue
        try:
            with open(f"/proc/self/task/{thread}/stat") as stat:
                if stat.read().rpartition(")")[2].split()[0] not in "SZ":
                    return False
        except OSError:
            continue  # it has ended
    return True


def unlink_semaphores():
    """Unlinks this process's semaphores, such as tqdm's lock: a server kills its workers, whose names would stay in /dev/shm."""
    util = sys.modules.get("multiprocessing.util")
    for finalizer in list(util._finalizer_registry.values()) if util else ():
        if getattr(finalizer._callback, "__qualname__", "") == "SemLock._cleanup":
            finalizer()

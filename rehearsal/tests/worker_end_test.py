"""How the hook of `memviz rehearse` ends a server's worker, which the server then kills, and how the kill waits for its recording.

usage: worker_end_test.py MEMVIZ SOURCE
"""

import importlib
import multiprocessing
import os
import pathlib
import signal
import sys
import tempfile
import time

SOURCE = pathlib.Path(sys.argv[2])
sys.path[:0] = [str(SOURCE / "rehearsal/hook"), str(SOURCE / "python/memviz_torch")]
for module in ("", ".files", ".history", ".ranks", ".waiting"):
    sys.modules["memviz_recording" + module] = importlib.import_module("recording" + module)

from memviz_rehearsal import journal  # noqa: E402
from memviz_rehearsal.process import endings  # noqa: E402


def named_semaphores():
    return {name for name in os.listdir("/dev/shm") if name.startswith("sem.mp-")}


def end_slowly(log, file, begun):
    journal.SETTINGS["log"] = log
    endings.install(None, None)
    with endings.undisturbed():
        begun.set()
        time.sleep(0.5)
        file.write_text("whole")
    signal.pause()


def check_kill_waits_for_recording():
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        log, file, begun = str(pathlib.Path(folder, "log")), pathlib.Path(folder, "recording"), context.Event()
        journal.SETTINGS["log"] = log
        endings.install(None, None)
        worker = context.Process(target=end_slowly, args=(log, file, begun))
        worker.start()
        begun.wait()
        worker.kill()
        worker.join()
        if not file.exists() or worker.exitcode != -signal.SIGKILL or os.listdir(folder) != [file.name]:
            sys.exit(f"exit code {worker.exitcode}, {os.listdir(folder)}")


def check_semaphores():
    multiprocessing.set_start_method("spawn")  # whose semaphores keep their names while they live
    lock = multiprocessing.RLock()
    name = "sem." + lock._semlock.name.lstrip("/")
    before = named_semaphores()
    endings.unlink_semaphores()
    after = named_semaphores()
    with lock:  # works without its name
        pass
    if name not in before or name in after:
        sys.exit(f"{name}: before {sorted(before)}, after {sorted(after)}")


check_kill_waits_for_recording()
check_semaphores()

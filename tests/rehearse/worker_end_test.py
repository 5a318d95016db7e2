"""How the hook of `memviz rehearse` ends a server's worker, which the server then kills.

usage: worker_end_test.py MEMVIZ SOURCE
"""

import importlib
import multiprocessing
import os
import pathlib
import sys

SOURCE = pathlib.Path(sys.argv[2])
sys.path[:0] = [str(SOURCE / "src/hooks/rehearse"), str(SOURCE / "python/memviz_torch")]
for module in ("", ".files", ".history", ".ranks", ".waiting"):
    sys.modules["memviz_recording" + module] = importlib.import_module("recording" + module)

import memviz_rehearsal_endings  # noqa: E402


def named_semaphores():
    return {name for name in os.listdir("/dev/shm") if name.startswith("sem.mp-")}


def main():
    multiprocessing.set_start_method("spawn")  # whose semaphores keep their names while they live
    lock = multiprocessing.RLock()
    name = "sem." + lock._semlock.name.lstrip("/")
    before = named_semaphores()
    memviz_rehearsal_endings.unlink_semaphores()
    after = named_semaphores()
    with lock:  # works without its name
        pass
    if name not in before or name in after:
        sys.exit(f"{name}: before {sorted(before)}, after {sorted(after)}")


main()

"""Ctrl-C in a rehearsed inference server with an engine in another process, while that starts and while it serves: no
process is left, nothing in /dev/shm, and no folder of memviz. rehearsal/tests/vllm stands in for vLLM.

usage: server_signals_test.py MEMVIZ SOURCE
"""

import os
import pathlib
import pty
import signal
import sys
import tempfile
import time

MEMVIZ, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:])
SECONDS = 30


def wait_until(what, holds):
    end = time.monotonic() + SECONDS
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"waited {SECONDS} s in vain: {what}")
        time.sleep(0.02)


def processes_of(session):
    """Returns the processes of a session that are still running."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            found.append(int(folder.name))
    return found


def text_of(terminal):
    """Returns everything written to a terminal until the last process has closed it; ends the test if that takes too
    long."""
    signal.alarm(SECONDS)
    text = b""
    try:
        while part := os.read(terminal, 1 << 16):
            text += part
    except OSError:  # EIO is its end
        pass
    signal.alarm(0)
    return text.decode(errors="replace")


def interrupt(folder, environment, is_time):
    """Returns memviz's output after Ctrl-C in its terminal, which sends SIGINT to all processes."""
    environment = {
        **os.environ,
        **environment,
        "FAKE_SERVER_ENGINE": "1",
        "NO_COLOR": "1",
        "MEMVIZ_REHEARSAL_DIR": str(MEMVIZ.parent / "tests/rehearse/stub"),
        "PYTHONPATH": str(SOURCE / "rehearsal/tests"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(folder / "tmp"),
    }
    (folder / "tmp").mkdir()
    words = [MEMVIZ, "rehearse", "-o", "out", "--gpu", "small", "--requests", "1000000"]
    words += ["--", sys.executable, "-m", "vllm", "m"]
    shared = semaphores()
    memviz, terminal = pty.fork()
    if memviz == 0:
        os.chdir(folder)
        os.execve(MEMVIZ, words, environment)
    try:
        wait_until("for the moment to interrupt", lambda: is_time(folder))
        os.write(terminal, b"\x03")
        text = text_of(terminal)
        os.waitpid(memviz, 0)
        wait_until("for the end of all processes", lambda: not processes_of(memviz))
    finally:
        for process in processes_of(memviz):
            os.kill(process, signal.SIGKILL)
    # A test that runs at the same time may briefly have a semaphore.
    wait_until(f"for the end of every semaphore\n{text}", lambda: not semaphores() - shared)
    if left := os.listdir(folder / "tmp"):
        sys.exit(f"left: {left}\n{text}")
    return text


def semaphores():
    return {name for name in os.listdir("/dev/shm") if name.startswith("sem.mp-")}


def is_serving(folder):
    return any('"ready": true' in log.read_text() for log in (folder / "tmp").glob("*/log"))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = interrupt(folder, {}, is_serving)
        if "KV cache              750 MiB" not in text:
            sys.exit(f"while it serves:\n{text}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = interrupt(folder, {"FAKE_SERVER_KILLS": "1"}, is_serving)
        if "of which PyTorch" not in text or "unknown" in text:
            sys.exit(f"while one serves that kills its engine:\n{text}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        loaded = folder / "loaded"
        text = interrupt(folder, {"FAKE_SERVER_STARTS": str(loaded)}, lambda _: loaded.exists())
        if "No answer: the program was ended by SIGINT" not in text:
            sys.exit(f"while it starts:\n{text}")


main()

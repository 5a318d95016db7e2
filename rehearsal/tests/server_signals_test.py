"""Ctrl-C in a rehearsed inference server with an engine in another process, while that starts and while it serves: no
process is left, nothing in /dev/shm, and no folder of memviz. rehearsal/tests/vllm stands in for vLLM. Other programs
get the signal once, from the terminal.

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
# The terminal no longer sends it signals, so that all that come are from memviz.
APART = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
os.setpgid(0, 0)
print("ready", flush=True)
print("got", signal.sigtimedwait([signal.SIGINT], 1))
"""


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


def rehearse(folder, environment, *words):
    """Rehearses a program in a terminal; returns memviz's process and the terminal."""
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
    memviz, terminal = pty.fork()
    if memviz == 0:
        os.chdir(folder)
        os.execve(MEMVIZ, [MEMVIZ, "rehearse", "-o", "out", "--gpu", "small", *words], environment)
    return memviz, terminal


def interrupt(folder, environment, is_time):
    """Returns memviz's output after Ctrl-C in its terminal, which sends SIGINT to all processes."""
    shared = semaphores()
    memviz, terminal = rehearse(folder, environment, "--requests", "1000000", "--", sys.executable, "-m", "vllm", "m")
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


def check_that_keys_are_not_passed_on(folder):
    memviz, terminal = rehearse(folder, {}, "--quiet", "--", sys.executable, "-c", APART)
    with open(terminal) as lines:
        while lines.readline().strip() != "ready":
            pass
        os.write(terminal, b"\x03")
        line = lines.readline().strip()
        if not line.endswith("got None"):
            sys.exit(f"after Ctrl-C: {line}")
        os.waitpid(memviz, 0)


def main():
    with tempfile.TemporaryDirectory() as name:
        check_that_keys_are_not_passed_on(pathlib.Path(name))
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

"""Ctrl-C ends a program that has the hooks of `memviz rehearse` by SIGINT, as it does without them.

usage: interrupt_test.py MEMVIZ SOURCE
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

HOOKS = pathlib.Path(sys.argv[2], "src/hooks")
INTERRUPTED = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
# An atexit handler that compiles a string, as imports do, makes Python forget that it was interrupted.
ENDS = """
import atexit, sys
import memviz_rehearsal_endings
atexit.register(memviz_rehearsal_endings.end_by_interrupt)
atexit.register(exec, "pass")
raise KeyboardInterrupt
"""


def check_ends_by_interrupt(name, program, hooks):
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(hooks)}, capture_output=True, text=True
    )
    if done.returncode != -signal.SIGINT:
        sys.exit(f"{name}: {done.returncode}\n{done.stderr}")


def main():
    check_ends_by_interrupt("at its end", ENDS, HOOKS / "rehearse")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(HOOKS / "record/sitecustomize.py", folder)
        pathlib.Path(folder, "memviz_rehearsal_hook.py").write_text(INTERRUPTED)
        check_ends_by_interrupt("at its start", "print('not interrupted')", folder)


main()

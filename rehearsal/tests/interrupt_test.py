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

SOURCE = pathlib.Path(sys.argv[2])
HOOK = SOURCE / "rehearsal/hook"
INTERRUPTED = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
# An atexit handler that compiles a string, as imports do, makes Python forget that it was interrupted.
ENDS = """
import atexit, sys
from memviz_rehearsal.process import endings
atexit.register(endings.end_by_interrupt)
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
    check_ends_by_interrupt("at its end", ENDS, HOOK)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SOURCE / "src/hooks/record/sitecustomize.py", folder)
        hook = pathlib.Path(folder, "memviz_rehearsal/hook.py")
        hook.parent.mkdir()
        hook.write_text(INTERRUPTED)
        check_ends_by_interrupt("at its start", "print('not interrupted')", folder)


main()

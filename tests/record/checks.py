"""Helpers of the tests in this folder that need nothing of it: a check, and whether a debugger can be used."""

import shutil
import subprocess


def check(condition, *facts):
    if not condition:
        raise AssertionError("\n".join(map(str, facts)))


def why_no_gdb():
    """Returns why this machine cannot test debuggers; "" if it can."""
    if shutil.which("gdb") is None:
        return "there is no gdb"
    child = subprocess.Popen(["sleep", "30"])
    try:
        words = ["gdb", "-batch", "-nx", "-p", str(child.pid), "-ex", "detach"]
        said = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        return "gdb may not attach to processes" if "ptrace:" in said else ""
    finally:
        child.kill()
        child.wait()

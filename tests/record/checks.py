"""Helpers of the tests in this folder that need nothing of it: a check, and whether a debugger can be used."""

import shutil
import subprocess


def check(condition, *facts):
    if not condition:
        raise AssertionError("\n".join(map(str, facts)))


def why_no_gdb():
    """Returns why this machine cannot test gdb; "" if it can."""
    return _why_not("gdb", ["-batch", "-nx", "-ex", "detach", "-p"], "ptrace:")


def why_no_lldb():
    """Returns why this machine cannot test lldb; "" if it can."""
    return _why_not("lldb", ["--batch", "--no-lldbinit", "-o", "process detach", "-p"], "attach failed")


def _why_not(debugger, options, refusal):
    if shutil.which(debugger) is None:
        return f"there is no {debugger}"
    child = subprocess.Popen(["sleep", "30"])
    try:
        words = [debugger, *options, str(child.pid)]
        said = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        return f"{debugger} may not attach to processes" if refusal in said else ""
    finally:
        child.kill()
        child.wait()

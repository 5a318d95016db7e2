"""Settings of this process, from memviz, and the log in which the hook reports to it.

Nothing of the hook may break the program: what fails is logged and counted, and the program continues.
"""

import json
import os

SETTINGS = json.loads(os.environ.get("MEMVIZ_REHEARSAL_HOOK") or "{}")  # hook.py lists them; empty without a rehearsal

class _Failures:
    """How often each failure occurred. The first time it is logged at once, because the process may be killed."""

    def __init__(self):
        self._counts = {}

    def add(self, text):
        self._counts[text] = self._counts.get(text, 0) + 1
        if self._counts[text] == 1:
            self._log(text)

    def log_counts(self):
        for text, count in list(self._counts.items()):
            if count > 1:
                self._log(text, count=count)

    @staticmethod
    def _log(text, **facts):
        try:
            log("failure", text=text, **facts)
        except Exception:
            pass


failures = _Failures()


def log(event, **facts):
    line = json.dumps({"event": event, "pid": os.getpid(), **facts}) + "\n"
    file = os.open(SETTINGS["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


def guarded(function, *arguments, **named):
    """Returns what the function returns; None after an error of it, which is logged."""
    try:
        return function(*arguments, **named)
    except Exception as error:
        text = f"{function.__name__.strip('_')}: {type(error).__name__}: {error}".splitlines()[0][:300]
        failures.add(text)
        return None


def is_there(owner, name):
    """Whether a module or class has what the hook replaces in it. The answer says what it lacks."""
    if hasattr(owner, name):
        return True
    failures.add(f"this version of {owner.__name__} has no {name}, which is replaced in others")
    return False

"""Settings of this process, from memviz, and the log in which the hook reports to it.

Nothing of the hook may break the program: what fails is logged, once, and the program continues.
"""

import json
import os

SETTINGS = json.loads(os.environ.get("MEMVIZ_REHEARSAL_HOOK") or "{}")  # hook.py lists them; empty without a rehearsal

_failures = set()


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
        if text not in _failures:
            _failures.add(text)
            try:
                log("failure", text=text)
            except Exception:
                pass
        return None

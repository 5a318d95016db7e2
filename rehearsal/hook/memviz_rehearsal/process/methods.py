"""Wraps methods of rehearsed programs, once they import the modules."""

import functools
import sys

from memviz_recording import waiting
from memviz_rehearsal.journal import guarded, is_there


def act_at_imports(acts):
    """`acts`: pairs of a module's name and a function, which is called with the module when it is imported."""
    for module, act in acts:
        waiting.when_imported(module, functools.partial(guarded, act))


def wrap(owner, name, around, is_in_all=True):
    """Replaces a method by around(original, self, *arguments), if it is there. `is_in_all`: all versions that are known have
    it."""
    if not (is_there(owner, name) if is_in_all else hasattr(owner, name)):
        return
    original = getattr(owner, name)

    @functools.wraps(original)
    def wrapped(self, *arguments, **named):
        return around(original, self, *arguments, **named)

    setattr(owner, name, wrapped)


def running_values():
    """Returns the mode of --values that applies to this thread, or None."""
    mode = sys.modules["torch"].utils._python_dispatch._get_current_dispatch_mode()
    return mode if type(mode).__module__ == "memviz_rehearsal.values.values" else None


def compiler_facts(computes_values):
    """Returns the number of functions that torch.compile compiled in this process, and whether PyTorch before 2.9, where
    values/compiling.py lets it, compiled nothing of what the program gave to it while values were computed."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    if dynamo is None:
        return {}
    compiled = dynamo.counters["frames"]["ok"]
    is_older = not hasattr(sys.modules["torch"].utils._python_dispatch.TorchDispatchMode, "ignore_compile_internals")
    backends = getattr(sys.modules.get("torch._dynamo.eval_frame"), "cached_backends", {})
    was_asked = any(callable(backend) for backend in backends.values())  # those of torch._dynamo.disable are None
    return {"compiled_frames": compiled, "left_uncompiled": computes_values and is_older and was_asked and compiled == 0}

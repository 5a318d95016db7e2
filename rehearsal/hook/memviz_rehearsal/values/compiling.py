"""Lets torch.compile compile below the mode of values/values.py in PyTorch 2.4 to 2.8, as newer versions do by
themselves. Compiled code compares the thread's dispatch keys with those at its compilation, which takes all modes off:
its guards are made with the mode on, if it is on where the code is called."""

import contextlib
import threading

from memviz_recording import waiting
from memviz_rehearsal.process import methods
from torch.utils import _python_dispatch


def keep_on(mode):
    """Applies to this process from now on."""
    if hasattr(_python_dispatch.TorchDispatchMode, "ignore_compile_internals"):
        return
    compilations = _Compilations(mode)
    waiting.when_imported("torch._dynamo.guards", lambda guards: methods.wrap(guards.CheckFunctionManager, "__init__", compilations.make_guards))

    def know_modes(convert_frame):
        convert_frame._disable_current_modes = compilations.wrapping(convert_frame._disable_current_modes)

    waiting.when_imported("torch._dynamo.convert_frame", know_modes)
    # After a break in compiled code Dynamo would compile the mode as well.
    waiting.when_imported("torch._dynamo.trace_rules", lambda rules: rules.add("memviz_rehearsal"))


class _Compilations:
    def __init__(self, mode):
        self._mode = mode
        self._running = threading.local()

    def wrapping(self, disable):
        """Returns a form of PyTorch's context without modes that notes whether the mode was on before it."""

        @contextlib.contextmanager
        def disable_noting():
            before = getattr(self._running, "is_below", False)
            self._running.is_below = _python_dispatch._get_current_dispatch_mode() is self._mode
            try:
                with disable() as modes:
                    yield modes
            finally:
                self._running.is_below = before

        return disable_noting

    def make_guards(self, original, manager, *arguments, **named):
        if not getattr(self._running, "is_below", False):
            return original(manager, *arguments, **named)
        _python_dispatch._push_mode(self._mode)
        try:
            return original(manager, *arguments, **named)
        finally:
            _python_dispatch._pop_mode()

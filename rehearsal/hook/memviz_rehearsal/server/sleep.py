"""Watches vLLM's sleep mode in a program that trains the model which it serves. Logs the maximum memory of the GPU in
use while the server was awake, while it slept, and while only a part of it was awake, as an event "server".

A program switches from training to serving in parts: the weights wake up and get the trained values, then the KV cache
follows.
"""

import ctypes
import sys

from memviz_rehearsal.server.log import log_facts

_PARTS = frozenset(("weights", "kv_cache"))


class Sleep:
    """The phases of one server."""

    def __init__(self):
        self._awake = set(_PARTS)
        self._sleeps = 0

    def sleep(self, original, server, *arguments, **named):
        result = original(server, *arguments, **named)
        self._end_phase()
        self._awake = set()
        self._sleeps += 1
        return result

    def wake_up(self, original, server, *arguments, **named):
        self._end_phase()
        parts = named.get("tags", arguments[0] if arguments else None)
        self._awake.update(_PARTS if parts is None else parts)
        return original(server, *arguments, **named)

    def end_last_phase(self):
        """Logs nothing for a server that never slept."""
        if self._sleeps > 0:
            self._end_phase()

    def _end_phase(self):
        """Logs the peak of the phase that ends."""
        ask = ctypes.CDLL(None).memviz_rehearsal_take_peak
        ask.restype = ctypes.c_uint64
        peak_bytes = ask(sys.modules["torch"].cuda.current_device())
        name = "awake" if self._awake >= _PARTS else "waking" if self._awake else "asleep"
        log_facts(**{f"{name}_peak_bytes": peak_bytes}, sleeps=self._sleeps)

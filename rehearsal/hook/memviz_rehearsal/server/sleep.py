"""Watches vLLM's sleep mode in a program that trains the model which it serves. Logs the maximum memory of the GPU in
use while the server was awake, while it slept, and while only a part of it was awake, as an event "server".

A program switches from training to serving in parts: the weights wake up and get the trained values, then the KV cache
follows.
"""

import ctypes
import sys

from memviz_rehearsal.server.log import log_facts

_PARTS = frozenset(("weights", "kv_cache"))


class _State:
    awake = set(_PARTS)
    sleeps = 0


def sleep(original, self, *arguments, **named):
    result = original(self, *arguments, **named)
    end_phase()
    _State.awake = set()
    _State.sleeps += 1
    return result


def wake_up(original, self, *arguments, **named):
    end_phase()
    parts = named.get("tags", arguments[0] if arguments else None)
    _State.awake.update(_PARTS if parts is None else parts)
    return original(self, *arguments, **named)


def end_phase():
    """Logs the peak of the phase that ends; nothing for a server that never slept."""
    ask = ctypes.CDLL(None).memviz_rehearsal_take_peak
    ask.restype = ctypes.c_uint64
    peak_bytes = ask(sys.modules["torch"].cuda.current_device())
    name = "awake" if _State.awake >= _PARTS else "waking" if _State.awake else "asleep"
    log_facts(**{f"{name}_peak_bytes": peak_bytes}, sleeps=_State.sleeps)


def end_last_phase():
    if _State.sleeps > 0:
        end_phase()

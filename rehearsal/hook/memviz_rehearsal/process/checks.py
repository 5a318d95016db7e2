"""Makes a check inside torch.linalg.eig and eigvals pass: they read as one byte whether all numbers are finite.
The byte would be 0, like all on the device, and the check would fail."""

import ctypes
import functools

from memviz_rehearsal.job import objects

_ERROR = "infs or NaNs"


def install(torch):
    set_next_condition = getattr(ctypes.CDLL(None), "memviz_rehearsal_next_condition", None)
    if set_next_condition is None or not hasattr(torch, "linalg"):
        return
    eig, eigvals = torch.linalg.eig, torch.linalg.eigvals
    objects.replace(eig, _passing(eig, set_next_condition))
    # It checks only if its eigenvectors are needed as well, for a gradient.
    objects.replace(eigvals, _trying(eigvals, _passing(eigvals, set_next_condition)))


def _passing(function, set_next_condition):
    @functools.wraps(function)
    def pass_check(*arguments, **named):
        set_next_condition(1)
        try:
            return function(*arguments, **named)
        finally:
            set_next_condition(0)

    return pass_check


def _trying(function, passing):
    @functools.wraps(function)
    def try_first(*arguments, **named):
        try:
            return function(*arguments, **named)
        except RuntimeError as error:
            if _ERROR not in str(error):
                raise
        return passing(*arguments, **named)

    return try_first

"""Wraps methods of rehearsed programs."""

import functools


def wrap(owner, name, around):
    """Replaces a method by around(original, self, *arguments), if this version has it."""
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def wrapped(self, *arguments, **named):
        return around(original, self, *arguments, **named)

    setattr(owner, name, wrapped)

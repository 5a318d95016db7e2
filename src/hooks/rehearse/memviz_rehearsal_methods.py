"""Wraps methods of rehearsed programs, once they import the modules."""

import functools

from memviz_recording import waiting


def act_at_imports(guarded, acts):
    """`acts`: pairs of a module's name and a function, which is called with the module when it is imported."""
    for module, act in acts:
        waiting.when_imported(module, functools.partial(guarded, act))


def wrap(owner, name, around):
    """Replaces a method by around(original, self, *arguments), if this version has it."""
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def wrapped(self, *arguments, **named):
        return around(original, self, *arguments, **named)

    setattr(owner, name, wrapped)

"""Imported by every Python that `memviz run` and `memviz rehearse` start, because its folder comes first in PYTHONPATH.

Sets up the hooks next to it, then runs the sitecustomize that this one hides, if there is one. Any Python can parse it:
those before 3.8 run on without the hooks, and those before 3.5 without the hidden one.
"""

import os
import sys

_FOLDER = os.path.realpath(os.path.dirname(__file__))


def _is_ours(folder):
    return os.path.realpath(folder or ".") == _FOLDER


def _set_up_hooks():
    from importlib import import_module

    if os.path.exists(os.path.join(_FOLDER, "memviz_rehearsal")):
        import_module("memviz_rehearsal.hook").install()
    import_module("memviz_recording.job").install()


def _run_hidden_module():
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def _end_by_interrupt():
    """Does what the program would have done at SIGINT without memviz; Python ends with exit code 1 if this returns."""
    from signal import SIG_DFL, SIGINT, signal

    signal(SIGINT, SIG_DFL)
    os.kill(os.getpid(), SIGINT)


try:
    if sys.version_info >= (3, 8):
        _set_up_hooks()
except KeyboardInterrupt:
    _end_by_interrupt()
except Exception as error:  # the user's program runs on whatever happens here
    sys.stderr.write("memviz: nothing is recorded: %s: %s\n" % (type(error).__name__, error))

# The program sees the path that it would see without memviz; PYTHONPATH stays, for the processes that it starts.
sys.path[:] = [folder for folder in sys.path if not _is_ours(folder)]
if sys.version_info >= (3, 5):
    _run_hidden_module()

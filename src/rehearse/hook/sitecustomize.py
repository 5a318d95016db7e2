"""Imported by every Python that `memviz rehearse` starts, because its folder stands first in PYTHONPATH.

Sets the hook up, then runs the sitecustomize that this one hides, if there is one.
"""

import os
import sys


def _is_ours(folder):
    return os.path.realpath(folder or ".") == os.path.realpath(os.path.dirname(__file__))


def _run_hidden_module():
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


try:
    import memviz_rehearsal_hook

    memviz_rehearsal_hook.install()
except Exception as error:  # the user's program runs on whatever happens here
    print(f"memviz rehearse: nothing is recorded: {type(error).__name__}: {error}", file=sys.stderr)

# The program sees the path that it would see without us; PYTHONPATH stays, for the processes that it starts.
sys.path[:] = [folder for folder in sys.path if not _is_ours(folder)]
_run_hidden_module()

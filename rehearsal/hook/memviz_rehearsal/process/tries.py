"""Changes that memviz tries where a rehearsed program does not fit, and the end of a try that takes too long.

MEMVIZ_REHEARSAL_FOREACH=0 lets PyTorch's optimizers choose their implementation as on a device without foreach functions.
"""

import importlib
import os
import threading


def install(seconds, stop):
    """Calls ``stop`` after this time, unless it is None."""
    if os.environ.get("MEMVIZ_REHEARSAL_FOREACH") == "0":
        # torch.optim has no attribute of this name.
        importlib.import_module("torch.optim.optimizer")._get_foreach_kernels_supported_devices = list
    if seconds is not None:
        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()

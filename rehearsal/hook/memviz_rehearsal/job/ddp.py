"""DDP replaces its first buckets in the second step. On a GPU, where a step takes longer than the 100 ms after which
NCCL's watchdog releases the tensors of finished collectives, the old ones are free by then; here steps take no time, so
that step waits for it. With work that completes late it does not, which shows the other end."""

import os
import time

from memviz_rehearsal.process.methods import wrap

_WATCHDOG_SECONDS = 0.3
_MOST_WAITS = 3  # of a module that never replaces them


def install(act_at_imports):
    if os.environ.get("MEMVIZ_REHEARSAL_EVENTS") != "late":
        act_at_imports([("torch.nn.parallel.distributed", _wait_for_watchdog)])


def _wait_for_watchdog(distributed):
    waits = {}  # by module: those so far

    def wait_and_begin(begin, module, *inputs, **named):
        count = waits.get(id(module), -1)
        if not module._has_rebuilt_buckets and count < _MOST_WAITS:
            waits[id(module)] = count + 1
            if count >= 0:  # the first step has no collectives before it
                time.sleep(_WATCHDOG_SECONDS)
        return begin(module, *inputs, **named)

    wrap(distributed.DistributedDataParallel, "_pre_forward", wait_and_begin)

"""Counters of steps that an optimizer keeps on the GPU, as after torch.load(map_location="cuda"), are never 0 when it reads
them: it has counted its first step by then, and divides by a number that is 0 for none."""

import functools
import importlib

from memviz_rehearsal.job import objects


def install(torch):
    # torch.optim has no attribute of this name.
    read = getattr(importlib.import_module("torch.optim.optimizer"), "_get_value", None)
    if read is None:
        return

    @functools.wraps(read)
    def read_counter(value):
        number = read(value)
        is_unknown = isinstance(value, torch.Tensor) and value.is_cuda and not isinstance(number, torch.Tensor)
        return type(number)(1) if is_unknown and number == 0 else number

    objects.replace(read, read_counter)

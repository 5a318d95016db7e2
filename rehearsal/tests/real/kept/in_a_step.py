"""Runs a program, and writes a snapshot when its second backward pass begins: then parameters, gradients, the optimizer's
state and the graph are there. For a program without a backward pass, when it prints its figures for the second time.

in_a_step.py FILE.pickle PROGRAM [ARGUMENT...]
"""

import runpy
import sys

import memviz_torch
import torch

path = sys.argv[1]
del sys.argv[:2]
recording = memviz_torch.record("unused.pickle", on_exit=False, on_oom=False).start()
passes = []
figures = []
are_transforms_active = torch._C._are_functorch_transforms_active
max_memory_allocated = torch.cuda.max_memory_allocated


# torch.autograd.backward() calls this without arguments, so that no variable of this file refers to a tensor.
def notice():
    if sys._getframe(1).f_code is torch.autograd.backward.__code__:
        passes.append(None)
        if len(passes) == 2:
            recording.dump(path)
    return are_transforms_active()


def notice_figures(*arguments):
    if not passes and sys._getframe(1).f_code.co_name == "show":
        figures.append(None)
        if len(figures) == 2:
            recording.dump(path)
    return max_memory_allocated(*arguments)


torch._C._are_functorch_transforms_active = notice
torch.cuda.max_memory_allocated = notice_figures
runpy.run_path(sys.argv[0], run_name="__main__")

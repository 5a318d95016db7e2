"""Takes the mode of values/values.py off while a backward pass runs: below any mode, PyTorch adds up
gradients into new tensors instead of in place, which changes the peak. Functions of the program's own, what is
computed again for a checkpoint, and operators of nested tensors have the mode in the backward pass as well: they may
decide something there. The gradient of an index by a mask, which has no mode, gets the positions of the mask from a
kernel instead of the made-up GPU's."""

import functools
import warnings

import torch
import torch.utils.checkpoint as checkpoint
from memviz_recording import waiting
from torch.utils import _python_dispatch


def keep_out(mode):
    """Applies to all backward passes from now on."""
    run_backward = torch.autograd.graph._engine_run_backward

    @functools.wraps(run_backward)
    def run_without(*arguments, **named):
        if _python_dispatch._get_current_dispatch_mode() is not mode:
            return run_backward(*arguments, **named)
        _python_dispatch._pop_mode()
        try:
            return run_backward(*arguments, **named)
        finally:
            _python_dispatch._push_mode(mode)

    torch.autograd.graph._engine_run_backward = torch.autograd._engine_run_backward = run_without
    mode.positions = _positions_of(mode)

    name = "_checkpoint_without_reentrant_generator_impl"  # what checkpoint() calls in PyTorch 2.15
    if not hasattr(checkpoint, name):
        name = "_checkpoint_without_reentrant_generator"
    begin = getattr(checkpoint, name)

    @functools.wraps(begin)
    def begin_with(function, *arguments, **named):
        return begin(_with(mode, function), *arguments, **named)

    setattr(checkpoint, name, begin_with)
    of_program = torch.autograd.function.BackwardCFunction
    of_program.apply = _with(mode, of_program.apply)

    def know_lengths(module):
        nested = module.NestedTensor
        nested.__torch_dispatch__ = staticmethod(_with(mode, nested.__torch_dispatch__))

    waiting.when_imported("torch.nested._internal.nested_tensor", know_lengths)


def _positions_of(mode):
    """Applies to all threads from now on, as long as the result lives."""
    library = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of a kernel that is replaced
        library.impl("nonzero", mode.nonzero_below, "CUDA")
    return library


def _with(mode, function):
    """Other modes stay above it, as in the forward pass: those of a checkpoint see the operators of the program, not
    those by which a DTensor runs them."""

    def run(*arguments, **named):
        above = _python_dispatch._get_current_dispatch_mode_stack()
        # The compiler traces operators that know no mode, and computes nothing.
        if torch._guards.TracingContext.try_get() is not None or mode in above:
            return function(*arguments, **named)
        _replace_modes(above, [mode, *above])
        try:
            return function(*arguments, **named)
        finally:
            _replace_modes([mode, *above], above)

    return run


def _replace_modes(old, new):
    for _ in old:
        _python_dispatch._pop_mode()
    for one in new:
        _python_dispatch._push_mode(one)

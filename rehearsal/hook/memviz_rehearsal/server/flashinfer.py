"""Gives a rehearsed program FlashInfer's kernels without their compiler: nvcc would take minutes, or is missing. Like
all kernels here they do nothing; FlashInfer's own functions make their outputs.
"""


class Kernels:
    """A module that has a kernel under every name."""

    def __getattr__(self, name):
        return _plan if name == "plan" else _do_nothing


def _do_nothing(*arguments, **named):
    return None


def _plan(*arguments, **named):
    """Returns the numbers that an attention kernel needs; None would mean that nothing was planned."""
    return ()


def install(act_at_imports):
    act_at_imports([("flashinfer.jit.core", _leave_out_compiler)])


def _leave_out_compiler(module):
    original = module.JitSpec.build_and_load

    def build_and_load(self, *arguments, **named):
        if getattr(self, "is_aot", False):  # compiled when it was packaged
            return original(self, *arguments, **named)
        return Kernels()

    module.JitSpec.build_and_load = build_and_load

"""Gives a rehearsed program FlashInfer's kernels without their compiler: nvcc would take minutes, or is not there. They do
nothing, as all kernels here; what they write to is made by FlashInfer's own functions.
"""


class Kernels:
    """A module of kernels, whatever their names are."""

    def __getattr__(self, name):
        return _plan if name == "plan" else _do_nothing


def _do_nothing(*arguments, **named):
    return None


def _plan(*arguments, **named):
    """Returns the numbers that the kernel of an attention gets; None would say that nothing was planned."""
    return ()


def install(when_imported, guarded):
    when_imported("flashinfer.jit.core", lambda module: guarded(_leave_out_compiler, module))


def _leave_out_compiler(module):
    original = module.JitSpec.build_and_load

    def build_and_load(self, *arguments, **named):
        if getattr(self, "is_aot", False):  # compiled when it was packaged
            return original(self, *arguments, **named)
        return Kernels()

    module.JitSpec.build_and_load = build_and_load

"""Gives the made-up CUDA runtime to programs that load it by ctypes. vLLM takes the first libcudart among the loaded
libraries, which is torchvision's own copy if that is imported: a real one, which does not work with the made-up driver.
"""

import os

_NAME = "libcudart.so.12"


def install(act_at_imports):
    library = os.environ.get("LD_PRELOAD", "").partition(":")[0]
    runtime = os.path.join(os.path.dirname(library), _NAME)
    if not os.path.exists(runtime):
        return
    os.environ.setdefault("VLLM_CUDART_SO_PATH", runtime)  # for where none is loaded under that name
    act_at_imports([("ctypes", lambda module: _redirect(module, runtime))])


def _redirect(module, runtime):
    original = module.CDLL.__init__

    def initialise(self, name, *arguments, **named):
        is_runtime = isinstance(name, str) and os.path.basename(name).startswith("libcudart")
        original(self, runtime if is_runtime else name, *arguments, **named)

    module.CDLL.__init__ = initialise

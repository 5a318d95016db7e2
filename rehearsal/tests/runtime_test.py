"""The CUDA runtime that a rehearsed program loads by ctypes: the made-up one, whichever copy it names.

usage: runtime_test.py MEMVIZ SOURCE
"""

import os
import pathlib
import sys
import tempfile
import types

SOURCE = pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "rehearsal/hook"))

from memviz_rehearsal.process import runtime  # noqa: E402


class CDLL:
    def __init__(self, name, mode=0):
        self.loaded = name, mode


def loaded_names(names):
    ctypes = types.SimpleNamespace(CDLL=type("CDLL", (CDLL,), {"__init__": CDLL.__init__}))
    runtime.install(lambda acts: [act(ctypes) for _, act in acts])
    return [ctypes.CDLL(name, mode=2).loaded for name in names]


def main():
    names = ["/packages/torchvision.libs/libcudart.e8e8b82a.so.12", "libcudart.so", "/lib/libc.so.6", None]
    with tempfile.TemporaryDirectory() as folder:
        runtime = f"{folder}/libcudart.so.12"
        os.environ["LD_PRELOAD"] = f"{folder}/libmemviz_rehearsal.so:/lib/other.so"
        answers = [loaded_names(names)]  # without the made-up GPU
        pathlib.Path(runtime).touch()
        answers.append(loaded_names(names))
    del os.environ["LD_PRELOAD"]
    expected = [[(name, 2) for name in names], [(runtime, 2), (runtime, 2), ("/lib/libc.so.6", 2), (None, 2)]]
    if answers != expected or os.environ["VLLM_CUDART_SO_PATH"] != runtime:
        sys.exit(f"got {answers}")


main()

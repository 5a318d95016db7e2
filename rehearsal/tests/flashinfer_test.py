"""FlashInfer's kernels in a rehearsed program: not compiled, except those that came compiled.

usage: flashinfer_test.py MEMVIZ SOURCE
"""

import pathlib
import sys
import types

SOURCE = pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "rehearsal/hook"))

from memviz_rehearsal.server import flashinfer  # noqa: E402


class JitSpec:
    def __init__(self, is_aot):
        self.is_aot = is_aot

    def build_and_load(self):
        return "compiled"


def main():
    core = types.SimpleNamespace(JitSpec=JitSpec)
    waiting = {}
    flashinfer.install(waiting.update)
    waiting["flashinfer.jit.core"](core)
    kernels = JitSpec(is_aot=False).build_and_load()
    answers = [kernels.top_p_sampling_from_probs(1, seed=2), kernels.any_name(), JitSpec(is_aot=True).build_and_load()]
    if answers != [None, None, "compiled"] or kernels.plan(1, causal=True) is None:
        sys.exit(f"got {answers}")


main()

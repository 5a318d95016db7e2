"""GPUs for which a build of PyTorch has no kernels.

usage: kernels_test.py MEMVIZ SOURCE
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[2], "rehearsal/hook")))

from memviz_rehearsal.process.kernels import lacks_kernels  # noqa: E402

OF_2_13 = "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"
# Architectures of a build, the capability of a GPU, and whether it has no kernel.
EXPECTED = (
    (OF_2_13, (7, 0), True),  # V100
    (OF_2_13, (7, 5), False),
    (OF_2_13, (8, 9), False),
    (OF_2_13, (12, 1), False),
    ("sm_50 sm_80 sm_86 sm_90", (10, 0), True),  # a B200, and a build that is older
    ("sm_80 sm_90a", (9, 0), False),
    ("sm_80 compute_80", (12, 0), False),
    ("sm_90 compute_90", (8, 0), True),
    ("", (7, 0), False),
)

wrong = [one for one in EXPECTED if lacks_kernels(*one[:2]) != one[2]]
if wrong:
    sys.exit(f"wrong: {wrong}")

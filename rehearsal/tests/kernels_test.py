"""GPUs for which a build of PyTorch has no kernels.

usage: kernels_test.py MEMVIZ SOURCE
"""

import pathlib
import sys
import types

sys.path.insert(0, str(pathlib.Path(sys.argv[2], "rehearsal/hook")))

from memviz_rehearsal.process import kernels  # noqa: E402

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

# Capabilities that OF_2_13 lacks, and whether their GPUs run another build than the one for x86-64.
OF_ARM = (((7, 0), False), ((11, 0), True))


def logged(capability):
    """Returns what is logged of a GPU with this capability."""
    events = []
    kernels.log = lambda event, **facts: events.append((event, facts))
    cuda = types.SimpleNamespace(get_device_capability=lambda: capability)
    kernels.log_lack(types.SimpleNamespace(_C=types.SimpleNamespace(_cuda_getArchFlags=lambda: OF_2_13), cuda=cuda, __version__="2.13.0"))
    return events


wrong = [one for one in EXPECTED if kernels.lacks_kernels(*one[:2]) != one[2]]
for capability, is_arm in OF_ARM:
    facts = {"version": "2.13.0", "capability": f"{capability[0]}.{capability[1]}", "is_arm": is_arm}
    if logged(capability) != [("no_kernels", facts)]:
        wrong.append((capability, logged(capability)))
if wrong or logged((9, 0)):
    sys.exit(f"wrong: {wrong or logged((9, 0))}")

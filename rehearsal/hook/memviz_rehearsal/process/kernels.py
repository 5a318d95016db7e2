"""Reports a GPU for which this build of PyTorch has no kernels: a real one refuses the first, a made-up one does not look."""

import re

from memviz_rehearsal.journal import log

# All GPUs of these capabilities are in machines with ARM processors (Jetson, DRIVE, DGX Spark), whose builds of PyTorch have other
# kernels than the one for x86-64 that is rehearsed.
_OF_ARM = {(5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0), (12, 1)}


def lacks_kernels(architectures, capability):
    """Whether a build for architectures such as "sm_80 sm_90 compute_90" runs on no GPU of this (major, minor). A binary (sm) runs
    within its major version, PTX (compute) on all later ones. False if the build names none."""
    built = [(kind, divmod(int(number), 10)) for kind, number in re.findall(r"(sm|compute)_(\d+)", architectures)]
    return bool(built) and not any(one <= capability and (kind == "compute" or one[0] == capability[0]) for kind, one in built)


def log_lack(torch):
    architectures = getattr(torch._C, "_cuda_getArchFlags", None)  # builds without CUDA lack it
    if architectures is None:
        return
    capability = torch.cuda.get_device_capability()
    if lacks_kernels(architectures() or "", capability):
        is_arm = capability in _OF_ARM
        log("no_kernels", version=str(torch.__version__), capability=".".join(map(str, capability)), is_arm=is_arm)

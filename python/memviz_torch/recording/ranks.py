"""The rank of this process in a distributed job."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

# The variables of torchrun, Open MPI, PMIx, MPICH and Intel MPI, MVAPICH2, Slurm. Slurm's is the last, because processes that mpirun
# starts within a Slurm step inherit the rank of that step, 0. cmake/rank_variables.cmake reads them for C++.
RANK_VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID")


def rank() -> Optional[int]:
    """Returns the rank that torch.distributed knows, else that of the environment; None if neither has one."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return int(distributed.get_rank())
    except Exception:
        pass  # what the environment says, then
    for name in RANK_VARIABLES:
        value = os.environ.get(name, "")
        # A bound for the number, which becomes part of names.
        if value.isascii() and value.isdigit() and len(value) < 10:
            return int(value)
    return None

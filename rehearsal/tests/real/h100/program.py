"""Runs a program whose memory was measured on an H100, and writes the allocator's figures.

    program.py NAME OUTPUT.json

figures.json has the names and what was measured. OUTPUT.json has the same figures, or "missing_package" and its name.
"""

import importlib
import json
import os
import pathlib
import sys

import torch
from registry import PROGRAMS

MODULES = ("training_programs", "torch_programs", "library_programs", "transformers_programs", "package_programs")


def figures():
    stats = torch.cuda.memory_stats()
    return {
        "allocated_peak_bytes": stats["allocated_bytes.all.peak"],
        "requested_peak_bytes": stats["requested_bytes.all.peak"],
        "reserved_peak_bytes": stats["reserved_bytes.all.peak"],
        "allocations": stats["allocation.all.allocated"],
        "segments": stats["segment.all.allocated"],
    }


def measure(function):
    """Runs the program and returns its figures, or the name of the package that it does not find."""
    torch.cuda.init()
    torch.cuda.memory._record_memory_history(max_entries=400000, stacks="python")  # as in the measurement
    try:
        function()
    except ModuleNotFoundError as error:
        return {"missing_package": error.name}
    torch.cuda.synchronize()
    return figures()


def main():
    name, output = sys.argv[1:]
    torch.manual_seed(0)
    for module in MODULES:
        importlib.import_module(module)
    if name not in PROGRAMS:
        sys.exit(f"no program is named {name}")
    pathlib.Path(output).write_text(json.dumps(measure(PROGRAMS[name]), indent=2) + "\n")
    sys.stdout.flush()
    os._exit(0)  # without the packages' handlers of exit


if __name__ == "__main__":
    main()

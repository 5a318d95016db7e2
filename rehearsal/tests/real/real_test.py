"""Small models on a made-up GPU against the figures that were measured on real ones.

    real_test.py REHEARSAL_FOLDER

Runs with a Python that has torch; ends with 1 where a figure differs by a byte.
"""

import json
import os
import pathlib
import subprocess
import sys

# Measured on GPUs by others. The first three: an article on activation memory in PyTorch (2024); the last two: public
# recordings, which docs/rehearsal-truth.md names, of capability 9.0.
MEASURED = {
    "three_small_tensors": {"allocated": 3072, "current": 1024, "freed": 2048, "peak": 2048},
    # The allocator rounds to 512 bytes, and this model's tensors are multiples of that.
    "mlp_activations": {
        "relu_saved": 83886080,
        "relu_allocated": 83886080,
        "gelu_saved": 150994944,
        "gelu_allocated": 150994944,
    },
    "block_activations": {"relu_saved": 201523216, "gelu_saved": 268632080},
    "cross_entropy": {
        "reserved": 1050673152,
        "allocated": 524296704,
        "requested": 524296194,
        "peak_requested": 1048584196,
        "segments": 5,
    },
    # Not its peak: since torch 2.7 cuBLASLt shares the workspace of cuBLAS, so 1 MiB of the measured peak is gone.
    "wide_linear": {"reserved": 4439670784, "allocated": 3234779136, "requested": 3233754432, "segments": 7},
}


def rehearsed(rehearsal, name):
    """The figures of one program on the made-up GPU."""
    environment = {
        **os.environ,
        "LD_PRELOAD": str(rehearsal / "libmemviz_rehearsal.so"),
        "LD_LIBRARY_PATH": str(rehearsal),
        "MEMVIZ_REHEARSAL_GPU": "h100-80",
        "PYTORCH_CUDA_ALLOC_CONF": "",
    }
    command = [sys.executable, pathlib.Path(__file__).with_name("programs.py"), name]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def main():
    rehearsal = pathlib.Path(sys.argv[1])
    differing = 0
    for program, measured in MEASURED.items():
        figures = rehearsed(rehearsal, program)
        for name, value in measured.items():
            if figures[name] == value:
                continue
            differing += 1
            print(f"{program}: {name} is {figures[name]}, measured on a GPU: {value}")
    print(f"{sum(map(len, MEASURED.values()))} figures, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

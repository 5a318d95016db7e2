"""The state at a moment, which memviz rebuilds from the end of a recording, against what PyTorch's allocator counted then.

    moments_test.py MEMVIZ REHEARSAL_FOLDER [SEEDS]

Runs with a Python that has torch. Each program allocates and frees at random on a made-up GPU, under each of the
allocator's settings that decide how large a block is; ends with 1 where a figure differs by a byte.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SETTINGS = ["", "expandable_segments:True", "roundup_power2_divisions:4", "max_split_size_mb:30", "garbage_collection_threshold:0.6"]
OPERATIONS = 800


def recorded(folder, rehearsal, settings, seed):
    """Snapshot and samples of one program."""
    snapshot, samples = folder / f"{settings.replace(':', '_')}{seed}.pickle", folder / "samples.json"
    environment = {
        **os.environ,
        "LD_PRELOAD": str(rehearsal / "libmemviz_rehearsal.so"),
        "LD_LIBRARY_PATH": str(rehearsal),
        "PYTORCH_CUDA_ALLOC_CONF": settings,
    }
    program = pathlib.Path(__file__).with_name("program.py")
    subprocess.run([sys.executable, program, str(seed), str(OPERATIONS), snapshot, samples], env=environment, check=True)
    return snapshot, json.loads(samples.read_text())


def told(memviz, snapshot, event):
    """Returns allocated, requested, reserved and active bytes after an event, as memviz shows them."""
    command = [memviz, "stats", snapshot, "--at", f"event:{event}", "--json", "-", "--quiet"]
    device = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["devices"][0]
    allocated = device["allocated_bytes"]
    return [allocated, device["requested_bytes"], device["reserved_bytes"], allocated + device["pending_free_bytes"]]


def main():
    memviz, rehearsal = sys.argv[1], pathlib.Path(sys.argv[2])
    seeds = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    moments = differing = 0
    with tempfile.TemporaryDirectory() as folder:
        for settings in SETTINGS:
            for seed in range(seeds):
                snapshot, samples = recorded(pathlib.Path(folder), rehearsal, settings, seed)
                for event, *counted in samples:
                    moments += 1
                    if told(memviz, snapshot, event) == counted:
                        continue
                    differing += 1
                    print(f"{settings or 'defaults'}, seed {seed}, event {event}: {told(memviz, snapshot, event)}, counted {counted}")
    print(f"{moments} moments, {differing} differ")
    return 1 if differing or moments < 20 * seeds else 0


if __name__ == "__main__":
    sys.exit(main())

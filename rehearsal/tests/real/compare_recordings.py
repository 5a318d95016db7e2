"""One row of docs/rehearsal-truth.md: a recording made on a real GPU against the rehearsal of the same program.

    compare_recordings.py MEMVIZ REAL.pickle REHEARSED.pickle

Prints each figure, real and rehearsed; ends with 1 where any differs.
"""

import collections
import json
import subprocess
import sys

FIGURES = [
    "reserved_bytes",
    "allocated_bytes",
    "requested_bytes",
    "peak_requested_bytes",
    "segments",
    "blocks",
    "events",
]


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def figures(memviz, path):
    """Returns the figures at the end of a recording, summed over its devices."""
    devices = json.loads(output_of(memviz, "stats", "--quiet", "--json", "-", path))["devices"]
    return {name: sum(device[name] for device in devices) for name in FIGURES}


def allocation_sizes(memviz, path):
    """Returns how often each size was allocated."""
    events = output_of(memviz, "trace", "--quiet", "--action", "alloc", "--format", "ndjson", path).splitlines()
    return collections.Counter(json.loads(event)["size_bytes"] for event in events)


def main():
    memviz, real_path, rehearsed_path = sys.argv[1:]
    real, rehearsed = figures(memviz, real_path), figures(memviz, rehearsed_path)
    for name in FIGURES:
        print(f"{name:22}{real[name]:>18,}{rehearsed[name]:>18,}{rehearsed[name] - real[name]:>+16,}")
    real_sizes, rehearsed_sizes = allocation_sizes(memviz, real_path), allocation_sizes(memviz, rehearsed_path)
    differing = (real_sizes - rehearsed_sizes) + (rehearsed_sizes - real_sizes)
    for size in sorted(differing):
        print(f"allocations of {size} bytes: {real_sizes[size]} real, {rehearsed_sizes[size]} rehearsed")
    return 1 if differing or real != rehearsed else 0


if __name__ == "__main__":
    sys.exit(main())

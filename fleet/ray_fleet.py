#!/usr/bin/env python3
"""Many snapshots on a Ray cluster: one memviz process a file, by one.sh, in batches.

usage: ray_fleet.py OUT LIST

OUT and the files of LIST lie on a path that each node sees; one.sh is next to this file. merge.py does the rest.
"""

import pathlib
import subprocess
import sys

import ray

BATCH = 25
ONE = pathlib.Path(__file__).resolve().with_name("one.sh")


@ray.remote(num_cpus=1, max_retries=3)
def batch(out, files):
    for file in files:
        subprocess.run([str(ONE), out, file], check=True)


def main():
    out, files = sys.argv[1], pathlib.Path(sys.argv[2]).read_text().split("\n")
    files = [file for file in files if file]
    ray.init(include_dashboard=False, log_to_driver=False)
    ray.get([batch.remote(out, files[i : i + BATCH]) for i in range(0, len(files), BATCH)])


main()

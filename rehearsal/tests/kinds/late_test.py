"""The kinds that memviz finds in recordings that began late, by the objects that refer to memory, against PyTorch's own.

    late_test.py MEMVIZ REHEARSAL_FOLDER

Runs with a Python that has torch, on a made-up GPU. Prints a table; ends with 1 where any memory has a kind that it is
not, or less than 98 % of a kind is found.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = ["transformer", "convolutions", "recurrent", "adversaries", "functional"]
KINDS = ["parameter", "gradient", "optimizer_state"]
LEAST = 0.98
ROOT = pathlib.Path(__file__).resolve().parents[3]


def kinds_of(memviz, snapshot):
    """Returns the kind of each block that memviz finds, and its evidence, by address."""
    command = [memviz, "state", snapshot, "--at", "end", "--json", "-", "--quiet"]
    state = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    blocks = (block for segment in state["segments"] for block in segment["blocks"] if block["state"] != "inactive")
    return {int(block["address"]): (block.get("kind"), block.get("known_by")) for block in blocks}


def judge(program, found, truth):
    """Prints how much is found, and how much that is right; returns whether it is enough."""
    true, right, wrong, ways = (collections.Counter() for _ in range(4))
    for address, (kind, size) in truth.items():
        true[kind] += size
        named, way = found.get(int(address), (None, None))
        if named == kind:
            right[kind] += size
            ways[kind, way] += size
        elif named in KINDS:
            wrong[named] += size
    for address, (named, _) in found.items():
        if named in KINDS and str(address) not in truth:
            wrong[named] += 1
    for kind in KINDS:
        by = ", ".join(f"{size:,} by {way}" for (of, way), size in ways.items() if of == kind)
        print(f"{program:14} {kind:16} true {true[kind]:>10,}  right {right[kind]:>10,}  wrong {wrong[kind]:>8,}  ({by})")
    return not wrong and all(right[kind] >= LEAST * true[kind] for kind in KINDS) and all(true[kind] for kind in KINDS)


def main():
    memviz, rehearsal = sys.argv[1], pathlib.Path(sys.argv[2])
    environment = {
        **os.environ,
        "LD_PRELOAD": str(rehearsal / "libmemviz_rehearsal.so"),
        "LD_LIBRARY_PATH": str(rehearsal),
        "PYTHONPATH": str(ROOT / "python"),
    }
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = pathlib.Path(__file__).with_name("late_programs.py")
        subprocess.run([sys.executable, program, folder, *PROGRAMS], env=environment, check=True)
        results = []
        for program in PROGRAMS:
            truth = json.loads((folder / f"{program}.json").read_text())
            results.append(judge(program, kinds_of(memviz, folder / f"{program}.pickle"), truth))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

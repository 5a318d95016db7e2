"""Checks the kinds that memviz finds in recordings of memviz_example_train against what PyTorch's own objects say.

usage: check_kinds.py PROGRAM MEMVIZ REHEARSAL_FOLDER
Runs on the made-up GPU. Exits 1 where memory is called a kind that it is not (more than 1 % of what is called so), or where less than 95 %
of what PyTorch names is named.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "rehearsal/tests/kinds"))
import kinds_test  # noqa: E402

PARTS = ["forward", "backward", "optimizer", "step"]


def check(program, memviz, part, environment, folder):
    snapshot, truth = folder / f"{part}.pickle", folder / f"{part}.json"
    subprocess.run([program, snapshot, part, truth], check=True, env=environment)
    told, true = kinds_test.segments_of(memviz, snapshot), kinds_test.truth_of(snapshot, truth)
    is_good = bool(true)
    for kind in kinds_test.FOUND:
        called = sum(size for (_, of), size in told.items() if of == kind)
        real = sum(size for (_, of), size in true.items() if of == kind)
        right = sum(min(size, true[place]) for place, size in told.items() if place[1] == kind)
        print(f"{part:16} {kind:16} true {real:>11,}  found {called:>11,}  right {right:>11,}")
        is_good = is_good and right >= 0.99 * called
    named = sum(min(size, told[place]) for place, size in true.items())
    return is_good and named >= 0.95 * sum(true.values())


def main():
    program, memviz, rehearsal = sys.argv[1:]
    library = pathlib.Path(rehearsal) / "libmemviz_rehearsal.so"
    environment = {**os.environ, "LD_PRELOAD": str(library), "LD_LIBRARY_PATH": rehearsal}
    is_good = True
    for part in PARTS:
        with tempfile.TemporaryDirectory() as folder:
            is_good = check(program, memviz, part, environment, pathlib.Path(folder)) and is_good
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())

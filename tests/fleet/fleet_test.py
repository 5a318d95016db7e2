#!/usr/bin/env python3
"""Runs the recipes of fleet/ over some snapshots and four bad files: all leave the same rows and the same sums.

usage: fleet_test.py MEMVIZ SOURCE_FOLDER

Slurm has a stand-in, an `srun` that runs its words; Ray and Spark are looked at where Python has them.
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from expectations import expect, finish  # noqa: E402

MEMVIZ, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:])
FLEET = SOURCE / "fleet"
NAMES = "training_step oom before after gen_2.5_annotations expandable devices_streams recorder_key".split()
BAD = {"cut.pickle": None, "code.pickle": b"cos\nsystem\n(S'exit'\ntR.", "text.pickle": b"not a snapshot\n", "empty.pickle": b""}


def make_files(folder):
    """Files whose names contain a space and a quote."""
    paths = []
    for i, name in enumerate(NAMES):
        path = folder / f"rank {i}'s_{name}.pickle"
        path.write_bytes((SOURCE / "testdata" / f"{name}.pickle").read_bytes())
        paths.append(path)
    for name, content in BAD.items():
        path = folder / name
        path.write_bytes((SOURCE / "testdata" / "oom.pickle").read_bytes()[:2000] if content is None else content)
        paths.append(path)
    return paths


def run(words, folder, **surroundings):
    merged = {**os.environ, "MEMVIZ": str(MEMVIZ), "PATH": f"{folder / 'tools'}:{os.environ['PATH']}", **surroundings}
    done = subprocess.run(words, env=merged, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    expect(f"{words}: {done.stdout}", done.returncode, 0)
    return done.stdout


def merged(folder, out):
    text = run([str(FLEET / "merge.py"), str(out)], folder)
    return text, (out / "merged.folded").read_text(), sorted((out / "ranks.ndjson").read_text().splitlines())


def by_xargs(folder, paths):
    out = folder / "xargs"
    (folder / "list").write_text("".join(f"{path}\n" for path in paths))
    run(["sh", "-c", f"tr '\\n' '\\0' < list | xargs -0 -P 2 -n 1 {FLEET}/one.sh {out}"], folder)
    return merged(folder, out)


def by_slurm(folder):
    out = folder / "slurm"
    (folder / "tools").mkdir()
    (folder / "tools" / "srun").write_text('#!/bin/sh\nwhile [ "${1#--}" != "$1" ]; do shift; done\nexec "$@"\n')
    (folder / "tools" / "srun").chmod(0o755)
    for task in range(3):
        run(["sh", str(FLEET / "array.sbatch")], folder, SLURM_ARRAY_TASK_COUNT="3", SLURM_ARRAY_TASK_ID=str(task), SLURM_CPUS_PER_TASK="2",
            LIST=str(folder / "list"), OUT=str(out), FLEET=str(FLEET))  # fmt: skip
    return merged(folder, out)


def by_ray(folder):
    out = folder / "ray"
    run([sys.executable, str(FLEET / "ray_fleet.py"), str(out), str(folder / "list")], folder)
    return merged(folder, out)


def by_spark(folder, paths):
    """Checks the sentence and the stacks of merge.py, and the number of parts; for a path of Hadoop, reads its
    contents."""
    command = [sys.executable, str(FLEET / "spark_fleet.py"), str(folder), str(folder / "spark"), "local-cluster[2,1,1024]"]
    out = run(command, folder, PYSPARK_PYTHON=sys.executable)
    answer = subprocess.run([str(MEMVIZ), "ranks", str(folder / "parts.ndjson"), "--json", "-"], stdout=subprocess.PIPE, text=True, check=True).stdout
    expect("ranks of Spark's parts", len(json.loads(answer)["ranks"]), len(paths) - len(BAD))
    return out.splitlines()[-1] + "\n", (folder / "merged.folded").read_text()


def sum_of_files(paths):
    """Returns the bytes of the folded stacks of each file, one after the other."""
    total = 0
    for path in paths:
        text = subprocess.run([str(MEMVIZ), "export", str(path), "-q", "--format", "folded", "--at", "auto"], stdout=subprocess.PIPE, text=True, check=True).stdout
        total += sum(int(line.rpartition(" ")[2]) for line in text.splitlines())
    return total


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        paths = make_files(folder)
        sentence, stacks, rows = by_xargs(folder, paths)
        expect("sentence", sentence.startswith(f"{len(paths)} snapshots, {len(BAD)} of them bad; "), True)
        expect("sum of all stacks", sum(int(line.rpartition(" ")[2]) for line in stacks.splitlines()), sum_of_files(paths[: len(NAMES)]))
        expect("a row for each", len(rows), len(paths))
        expect("by Slurm", by_slurm(folder), (sentence, stacks, rows))
        has_ray = importlib.util.find_spec("ray") is not None
        if has_ray:
            expect("by Ray", by_ray(folder), (sentence, stacks, rows))
        has_spark = importlib.util.find_spec("pyspark") is not None
        if has_spark:
            expect("by Spark", by_spark(folder, paths), (sentence, stacks))
        picture = folder / "merged.svg"
        run([str(MEMVIZ), "flame", str(folder / "xargs" / "merged.folded"), "-q", "-o", str(picture)], folder)
        expect("the picture of all", "</svg>" in picture.read_text(), True)
    finish(f"all recipes agree{'' if has_ray else '; no Ray here'}{'' if has_spark else '; no Spark here'}")


main()

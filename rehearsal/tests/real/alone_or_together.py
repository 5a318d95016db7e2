"""Whether a rank whose other ranks are absent takes what it takes among the processes of the whole job.

    alone_or_together.py MEMVIZ WORLD PYTHON JOB.py [ARGUMENT...]

Rehearses all ranks of JOB.py (one of jobs/, or any program) as processes that torchrun starts, then with --world: each
rank alone (and with those without whose objects it cannot go on), and all at the same time. Prints the figures of each rank; ends
with 1 where any differs.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from compare_recordings import figures


def rehearse(memviz, folder, options, program):
    """The figures of each rank that ran."""
    answer = folder.with_suffix(".json")
    command = [memviz, "rehearse", *options, "-o", folder, "--json", answer, "--", *program]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode:
        sys.exit(f"{' '.join(map(str, command))}:\n{run.stdout.decode(errors='replace')[-4000:]}")
    answer = json.loads(answer.read_text())
    verdicts = [one["verdict"] for one in answer["runs"]]
    peaks = {use["rank"]: use["peak_reserved_bytes"] for verdict in verdicts for use in verdict["devices"]}
    files = {int(re.match(r"rehearsal-rank(\d+)-", file.name)[1]): file for file in folder.glob("*.pickle")}
    return {rank: {"peak_reserved_bytes": peaks[rank], **figures(memviz, files[rank])} for rank in sorted(peaks)}


def every_way(memviz, world, python, job):
    """Returns the figures of each rank: of processes under torchrun, alone, and at the same time."""
    ranks = range(int(world))
    ways = {"alone": f"0..{ranks[-1]}", "met": "+".join(map(str, ranks))}
    with tempfile.TemporaryDirectory() as scratch:
        torchrun = [python, "-m", "torch.distributed.run", "--nproc-per-node", world]
        found = {"torchrun": rehearse(memviz, pathlib.Path(scratch, "torchrun"), ["--devices", world], [*torchrun, *job])}
        for way, rank in ways.items():
            options = ["--world", world, "--local-world", world, "--rank", rank]
            found[way] = rehearse(memviz, pathlib.Path(scratch, way), options, [python, *job])
    return found


def differences(found):
    """Returns a sentence for each rank and way whose figures differ from those of the processes under torchrun."""
    together = found["torchrun"]
    for way in ("alone", "met"):
        for rank, figures in found[way].items():
            differing = [f"{name} {figures[name] - together[rank][name]:+,}" for name in figures if figures[name] != together[rank][name]]
            if differing:
                yield f"rank {rank} {way}: {', '.join(differing)}"


def main():
    memviz, world, python, *job = sys.argv[1:]
    found = every_way(memviz, world, python, job)
    for rank, figures in found["torchrun"].items():
        print(f"rank {rank}: " + ", ".join(f"{name} {value:,}" for name, value in figures.items()))
    differing = list(differences(found))
    print("\n".join(differing) or "equal, alone and met")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

"""Whether a rank whose other ranks are absent takes what it takes among the processes of the whole job.

    alone_or_together.py MEMVIZ WORLD PYTHON JOB.py [ARGUMENT...]

Rehearses all ranks of JOB.py (one of jobs/, or any program) as processes that torchrun starts, then each rank alone with
--world, and prints the figures of each rank; ends with 1 where any differs.
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
    verdicts = [one["verdict"] for one in answer["runs"]] if "runs" in answer else [answer["verdict"]]
    peaks = {use["rank"]: use["peak_reserved_bytes"] for verdict in verdicts for use in verdict["devices"]}
    files = {int(re.match(r"rehearsal-rank(\d+)-", file.name)[1]): file for file in folder.glob("*.pickle")}
    return {rank: {"peak_reserved_bytes": peaks[rank], **figures(memviz, files[rank])} for rank in sorted(peaks)}


def main():
    memviz, world, python, *job = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        torchrun = [python, "-m", "torch.distributed.run", "--nproc-per-node", world]
        together = rehearse(memviz, pathlib.Path(scratch, "together"), ["--devices", world], [*torchrun, *job])
        ranks = ["--world", world, "--local-world", world, "--rank", f"0..{int(world) - 1}"]
        alone = rehearse(memviz, pathlib.Path(scratch, "alone"), ranks, [python, *job])
    for rank in range(int(world)):
        both = [f"{name} {together[rank][name]:,} {alone[rank][name] - together[rank][name]:+,}" for name in alone[rank]]
        print(f"rank {rank}: {'equal' if alone[rank] == together[rank] else 'differs'}: {', '.join(both)}")
    return 0 if alone == together else 1


if __name__ == "__main__":
    sys.exit(main())

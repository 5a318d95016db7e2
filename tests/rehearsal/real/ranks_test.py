"""Ranks of a job, alone and met, against the processes of the whole job: about a minute of two cores.

    ranks_test.py MEMVIZ

Runs with a Python that has torch. docs/rehearsal-truth.md has all kinds of parallelism at four ranks.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from alone_or_together import differences, every_way

JOB = str(pathlib.Path(__file__).parent / "jobs/parallelisms.py")

WAITS = """
import torch.distributed as dist
dist.TCPStore("localhost", 1234, 8, False).get("what rank 1 found")
"""


def check_equal(memviz):
    """Stages send each other shapes as objects, so that each rank alone asks for the other."""
    found = every_way(memviz, "2", sys.executable, [JOB, "fsdp2", "pp_1f1b"])
    assert not list(differences(found)), list(differences(found))
    assert len(found["met"]) == 2 and found["met"][0] != found["met"][1], "the stages are alike"


def check_objects(memviz):
    """Between the processes of one rehearsal, which torchrun starts and which memviz starts. The job checks what it gets."""
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    for options, start in ((["--devices", "2"], torchrun), (["--world", "2", "--rank", "0+1"], [sys.executable])):
        with tempfile.TemporaryDirectory() as folder:
            command = [memviz, "rehearse", *options, "-o", pathlib.Path(folder, "out"), "--", *start, JOB, "objects"]
            done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def check_launcher(memviz):
    with tempfile.TemporaryDirectory() as folder:
        answer = pathlib.Path(folder, "answer.json")
        options = ["--rank", "511", "-o", pathlib.Path(folder, "out"), "--json", answer]
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "64", "--nproc-per-node", "8"]
        done = subprocess.run([memviz, "rehearse", *options, "--", *torchrun, JOB, "fsdp2"], capture_output=True, text=True)
        assert done.returncode == 0 and "asks for 512 ranks" in done.stderr, done.stderr
        answer = json.loads(answer.read_text())
        assert answer["ranks"] == 512 and [run["rank"] for run in answer["runs"]] == [511], answer


def check_unanswered_key(memviz):
    with tempfile.TemporaryDirectory() as folder:
        program = [sys.executable, "-c", WAITS]
        command = [memviz, "rehearse", "--world", "8", "--rank", "3", "-o", pathlib.Path(folder, "out"), "--", *program]
        done = subprocess.run(command, capture_output=True, text=True)
        text = " ".join(done.stdout.split())
        assert done.returncode == 1, done.stderr
        assert "rank 3 of 8 waits for the key 'what rank 1 found', which only an absent rank would set" in text, text


def main():
    for check in (check_equal, check_objects, check_launcher, check_unanswered_key):
        check(sys.argv[1])
        print(check.__name__, "is right", flush=True)


if __name__ == "__main__":
    main()

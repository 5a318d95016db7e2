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


SPLITS = """
import ctypes, datetime, os, torch
import torch.distributed as dist
from torch.distributed import _functional_collectives
from torch.distributed.device_mesh import init_device_mesh

device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
torch.cuda.set_device(device)
dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
nccl = ctypes.CDLL(None)

def check(group, ranks, rank):
    assert (group.size(), group.rank()) == (ranks, rank), (group.size(), group.rank())
    dist.all_reduce(torch.ones(1, device=device), group=group)
    _functional_collectives.all_reduce(torch.ones(1, device=device), "sum", group).item()
    dist.distributed_c10d._set_pg_timeout(datetime.timedelta(seconds=60), group)
    backend = group._get_backend(device)
    if not hasattr(backend, "_comm_ptr"):
        return  # before PyTorch 2.9 a program cannot ask
    for ask, expected in ((nccl.ncclCommCount, ranks), (nccl.ncclCommUserRank, rank)):
        found = ctypes.c_int()
        ask(ctypes.c_void_p(backend._comm_ptr()), ctypes.byref(found))
        assert found.value == expected, (ask.__name__, found.value, expected)

halves = [[0, 1, 2, 3], [4, 5, 6, 7]]
check(dist.group.WORLD, 8, 5)
half = dist.split_group(None, halves)
check(half, 4, 1)
check([dist.new_group(ranks) for ranks in halves][1], 4, 1)
mesh = init_device_mesh("cuda", (2, 4), mesh_dim_names=("outer", "inner"))
check(mesh.get_group("outer"), 2, 1)
check(mesh.get_group("inner"), 4, 1)
if torch.device("cpu") in half._device_types:  # PyTorch 2.6 splits NCCL's part alone
    ones = torch.ones(2)
    dist.all_reduce(ones, group=half)
    assert ones.tolist() == [4, 4], ones
    found = [None] * 4
    dist.all_gather_object(found, "mine", group=half)
    assert found == ["mine"] * 4, found
assert dist.split_group(None, [[0, 1]]) in (None, dist.GroupMember.NON_GROUP_MEMBER)
"""


KNOWS = """
import os, torch
import torch.distributed as dist
from torch.distributed import _functional_collectives
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, zeros

device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
torch.cuda.set_device(device)
dist.init_process_group("nccl", device_id=device)
tokens = torch.tensor(3).to(device)
total = _functional_collectives.all_reduce(tokens, "sum", dist.group.WORLD).item()
seeds = torch.tensor([7, 8]).to(device)
dist.broadcast(seeds, 0)
spread = zeros(64, device_mesh=init_device_mesh("cuda", (8,)), placements=[Shard(0)]).normal_()  # reads the generator's state
_functional_collectives.all_reduce(spread.to_local().mean(), "avg", dist.group.WORLD).item()  # a loss
print(total, seeds.tolist())
"""


OWN_RANKS = """
import multiprocessing, os
import torch
import torch.distributed as dist

def train(rank):
    os.environ.update(RANK=str(rank), WORLD_SIZE="2")
    dist.init_process_group("nccl")

if __name__ == "__main__":
    children = [multiprocessing.get_context("spawn").Process(target=train, args=(rank,)) for rank in range(2)]
    for child in children:
        child.start()
        child.join()
    raise SystemExit(max(child.exitcode for child in children))
"""


def check_equal(memviz):
    """Stages send each other shapes as objects, so that each rank alone asks for the other."""
    found = every_way(memviz, "2", sys.executable, [JOB, "fsdp2", "pp_1f1b"])
    assert not list(differences(found)), list(differences(found))
    assert len(found["met"]) == 2 and found["met"][0] != found["met"][1], "the stages are alike"


def check_objects(memviz):
    """Between the processes of one rehearsal, started by torchrun and by memviz. The job checks what it receives."""
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    for options, start in ((["--devices", "2"], torchrun), (["--world", "2", "--rank", "0+1"], [sys.executable])):
        with tempfile.TemporaryDirectory() as folder:
            command = [memviz, "rehearse", *options, "-o", pathlib.Path(folder, "out"), "--", *start, JOB, "objects"]
            done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def check_cpu_tensors(memviz):
    """A CPU tensor that an absent rank would send has no values, so that memviz runs the sender as well."""
    program = "import os, torch, torch.distributed as dist\n"
    program += "dist.init_process_group('gloo')\nnumber = torch.zeros(1)\n"
    program += "dist.recv(number, src=0) if dist.get_rank() else dist.send(torch.ones(1), dst=1)\n"
    program += "assert number.item() == dist.get_rank(), number"
    with tempfile.TemporaryDirectory() as folder:
        command = [memviz, "rehearse", "--world", "2", "--rank", "1", "-o", pathlib.Path(folder, "out")]
        done = subprocess.run([*command, "--", sys.executable, "-c", program], capture_output=True, text=True)
    assert "rank 1 takes objects from 0: run again, together" in done.stderr, done.stderr


def check_launcher(memviz):
    with tempfile.TemporaryDirectory() as folder:
        answer = pathlib.Path(folder, "answer.json")
        options = ["--rank", "511", "-o", pathlib.Path(folder, "out"), "--json", answer]
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "64", "--nproc-per-node", "8"]
        done = subprocess.run([memviz, "rehearse", *options, "--", *torchrun, JOB, "fsdp2"], capture_output=True, text=True)
        assert done.returncode == 0 and "asks for 512 ranks" in done.stderr, done.stderr
        answer = json.loads(answer.read_text())
        assert [(run["rank"], run["ranks"]) for run in answer["runs"]] == [(511, 512)], answer


def check_unanswered_key(memviz):
    with tempfile.TemporaryDirectory() as folder:
        program = [sys.executable, "-c", WAITS]
        command = [memviz, "rehearse", "--world", "8", "--rank", "3", "-o", pathlib.Path(folder, "out"), "--", *program]
        done = subprocess.run(command, capture_output=True, text=True)
        text = " ".join(done.stdout.split())
        assert done.returncode == 1, done.stderr
        assert "rank 3 of 8 waits for the key 'what rank 1 found', which only an absent rank would set" in text, text


def check_own_ranks(memviz):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "own_ranks.py")
        program.write_text(OWN_RANKS)
        options = ["--world", "8", "--rank", "5", "-o", pathlib.Path(folder, "out")]
        done = subprocess.run([memviz, "rehearse", *options, "--", sys.executable, program], capture_output=True, text=True)
        text = " ".join(done.stdout.split())
        assert done.returncode == 1, done.stderr
        assert "No answer: rank 5 of 8 has a process that the program makes rank 0 of 2" in text, text


def check_splits(memviz):
    """Parts of a group have the sizes that the program requests, in NCCL as well, and reduce what is computed."""
    with tempfile.TemporaryDirectory() as folder:
        program = [sys.executable, "-W", "ignore", "-c", SPLITS]
        command = [memviz, "rehearse", "--values", "--world", "8", "--rank", "5", "-o", pathlib.Path(folder, "out"), "--", *program]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def check_known(memviz):
    """What this rank knows is known of absent ones, which do the same, and not of one that it meets. Neither a loss nor
    a random state decides."""
    for rank, unknown in (("5", []), ("5+1", ["<string>:12"])):
        with tempfile.TemporaryDirectory() as folder:
            answer = pathlib.Path(folder, "answer.json")
            options = ["--values", "--world", "8", "--rank", rank, "-o", pathlib.Path(folder, "out"), "--json", answer]
            done = subprocess.run([memviz, "rehearse", *options, "--", sys.executable, "-c", KNOWS], capture_output=True, text=True)
            assert done.returncode == 0 and ("[7, 8]" in done.stdout and ("24 [7" in done.stdout) == (not unknown)), done
            reads = json.loads(answer.read_text())["verdict"]["deciding_read_lines"]
            assert len(reads) == 2 and [read["line"] for read in reads if read["unknown"] or read["made_up"]] == unknown, reads


def main():
    for check in (check_equal, check_objects, check_cpu_tensors, check_launcher, check_unanswered_key, check_own_ranks, check_splits, check_known):
        check(sys.argv[1])
        print(check.__name__, "is right", flush=True)


if __name__ == "__main__":
    main()

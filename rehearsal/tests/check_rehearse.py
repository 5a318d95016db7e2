"""Holds `memviz rehearse` against pip's torch and what is known of a small model by counting.

usage: check_rehearse.py MEMVIZ [NAME...]  (with a Python that has torch; NAME of a check, all without one)
"""

import importlib.util
import os
import pickle
import runpy
import signal
import subprocess
import sys
import tempfile

import rehearsed_values
from rehearsals import MIB, Rehearsals, check, program

CONTEXT_LEEWAY = 64 * MIB


# Two steps of a linear layer without a workspace of cuBLAS's: sums and products of elements only.
MODEL = """
import os, sys, torch
torch.manual_seed(0)
batch = int(os.environ.get("BATCH", sys.argv[1] if len(sys.argv) > 1 else "1"))
weight = torch.ones(1024, 1024, device="cuda", requires_grad=True)  # 4 MiB, as its gradient and its momentum
optimizer = torch.optim.SGD([weight], lr=1e-3, momentum=0.9)
for step in range(3):
    data = torch.ones(batch, 32, 1024, 1024, device="cuda")  # 128 MiB a sample
    loss = data.sum() * weight.sum()
    del data
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print("done", step)
"""

OWN_RECORDER = """
import sys, torch
torch.cuda.memory._record_memory_history(max_entries=1000)
kept = [torch.ones(1024, 1024, device="cuda") for _ in range(4)]
torch.cuda.memory._dump_snapshot(sys.argv[1])
"""

RANKS = """
import os, torch
rank = int(os.environ["RANK"])
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
kept = torch.ones((rank + 1) * 64, 1024, 1024, device="cuda")
"""

TOGETHER = program("together")

FRAGMENTED = """
import torch

def take(mib):
    return torch.empty(mib << 20, dtype=torch.uint8, device="cuda")

kept, freed = [], []
for _ in range(10):  # segments of 80 MiB, each with 20 MiB in use at its end; pages of 20 MiB are wholly free
    take(80)
    freed.append(take(60))
    kept.append(take(20))
freed.clear()
take(500)
"""


def check_fits(rehearsals):
    answer, done, output = rehearsals.python([], MODEL, "2")
    verdict = answer["verdict"]
    check(done.returncode == 0 and verdict["outcome"] == "fits", answer, done.stderr)
    check("done 2" in done.stdout, done.stdout)
    device = verdict["devices"][0]
    # The data in addition to weight, gradient and momentum; the segments of the small ones are 20 MiB.
    check(device["peak_reserved_bytes"] == 256 * MIB + 20 * MIB + 2 * MIB, device)
    check(device["peak_bytes"] >= device["context_bytes"] + device["peak_reserved_bytes"], device)
    outside = device["context_bytes"] + device["outside_bytes"]
    check(device["peak_bytes"] <= outside + device["peak_reserved_bytes"] + CONTEXT_LEEWAY, device)
    check(verdict["peak"]["holders"][0]["bytes"] == 256 * MIB, verdict["peak"])
    (file,) = verdict["files"]
    with open(file["file"], "rb") as stream:
        snapshot = pickle.load(stream)
    check(snapshot["memviz_rehearsal"]["profile"] == "h100-80", snapshot["memviz_rehearsal"])
    check(snapshot["allocator_settings"]["memviz_rehearsal"]["profile"] == "h100-80")
    text = subprocess.run([rehearsals.memviz, "stats", "--redact", "all", file["file"]], capture_output=True, text=True)
    check("rehearsed on a made-up NVIDIA H100" in text.stdout, text.stdout)


def check_does_not_fit(rehearsals):
    answer, done, _ = rehearsals.python(["--memory", "1GiB"], MODEL, "16")
    verdict = answer["verdict"]
    check(done.returncode == 3 and verdict["outcome"] == "does_not_fit", answer)
    check("OutOfMemoryError" in done.stderr, done.stderr)
    check("ran out of memory: 2.00 GiB asked for" in verdict["failure"]["headline"], verdict["failure"])
    (kept,) = verdict["failure"]["keepers"]
    check("is kept by `weight`" in kept, kept)
    check([file["at"] for file in verdict["files"]] == ["oom", "end"], verdict["files"])


def check_search(rehearsals):
    memory = 2288 * MIB
    answer, done, _ = rehearsals.python(["--memory", str(memory), "--search", "BATCH=10..14"], MODEL)
    outside = answer["verdict"]["gpu"]["context_bytes"] + 240 * MIB  # the context, and the kernels
    # Each sample takes 128 MiB; the small ones 22 MiB; the driver gives whole pages of 2 MiB from the rest.
    largest = (memory - outside - 22 * MIB) // (128 * MIB)
    check(done.returncode == 0 and answer["rows"][0]["largest"] == largest, answer["rows"], largest)
    # The output of the runs leads to the answer, and is not shown.
    check("done" not in done.stdout and "OutOfMemoryError" not in done.stderr, done.stdout, done.stderr)
    refuses = MODEL.replace("torch.manual_seed(0)", f"if sys.argv[1] == '{largest - 1}': raise ValueError('too few')")
    words, done, _ = rehearsals.python(["--memory", str(memory), "--search", f"N={largest - 1}..{largest + 1}"], refuses, "{}")
    check(words["rows"][0]["largest"] == largest, words["rows"], largest)
    check(f"N={largest - 1}: no answer: the program ended with exit code 1: ValueError: too few\n" in done.stderr, done.stderr)


def check_compare(rehearsals):
    setting = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"
    answer, done, _ = rehearsals.python(["--memory", "1600MiB", "--compare-with", setting], FRAGMENTED)
    check(done.returncode == 3 and answer["verdict"]["outcome"] == "does_not_fit", answer["verdict"])
    check(answer["rows"][1]["outcome"] == "fits", answer["rows"])


# 256 MiB of parameters, as many of gradients, and twice as many of state; foreach makes temporaries of the same size.
ADAM = """
import sys, torch
weights = [torch.ones(2048, 2048, device="cuda", requires_grad=True) for _ in range(16)]
optimizer = torch.optim.AdamW(weights, foreach=True if sys.argv[1:] == ["foreach"] else None)
for step in range(10):
    for weight in weights:
        weight.grad = torch.ones_like(weight)
    optimizer.step()
"""


def check_tried(rehearsals):
    answer, done, _ = rehearsals.python(["--memory", "1600MiB"], FRAGMENTED)
    verdict = answer["verdict"]
    check(done.returncode == 3 and verdict["outcome"] == "does_not_fit", verdict)
    (tried,) = verdict["tried"]
    check(tried["change"] == "expandable_segments:True" and tried["more_steps"] == 0, tried)
    check(verdict["failure"]["advice"][0].startswith("Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: tried, "), verdict["failure"])
    memory = verdict["gpu"]["context_bytes"] + (240 + 4 * 256 + 64) * MIB
    answer, done, _ = rehearsals.python(["--memory", str(memory)], ADAM)
    check([(tried["change"], tried["more_steps"]) for tried in answer["verdict"]["tried"]] == [("foreach=False", 3)], answer["verdict"])
    # The program's own foreach=True stays, and a change that did not work is not named.
    answer, done, _ = rehearsals.python(["--memory", str(memory)], ADAM, "foreach")
    check(answer["verdict"]["tried"] == [] and "foreach" not in "".join(answer["verdict"]["failure"]["advice"]), answer["verdict"])


# A weight of 64 MiB and one of 4 KiB, filled on the CPU and moved; prints whether each has values.
FILLED = """
import torch
large, small = torch.nn.Linear(4096, 4096, bias=False), torch.nn.Linear(32, 32, bias=False)
print("values", bool(large.weight.any()), bool(small.weight.any()), large.weight.shape)
kept = large.cuda(), small.cuda()
on_gpu = torch.nn.init.trunc_normal_(torch.empty(1024, 1024, device="cuda"))
"""


def check_no_init(rehearsals):
    usual, done, _ = rehearsals.python([], FILLED)
    check("values True True" in done.stdout, done.stdout)
    without, done, _ = rehearsals.python(["--no-init"], FILLED)
    check("values False True" in done.stdout, done.stdout)
    used = [answer["verdict"]["devices"][0]["peak_reserved_bytes"] for answer in (usual, without)]
    check(used[0] == used[1] and used[0] > 64 * MIB, used)


def check_steps(rehearsals):
    answer, done, output = rehearsals.python(["--steps", "1"], MODEL, "1")
    verdict = answer["verdict"]
    check(done.returncode == 0 and verdict["steps"] == 1 and verdict["is_stopped"], verdict)
    check("done" not in done.stdout, done.stdout)
    check(len(os.listdir(output)) == 1 and verdict["devices"][0]["peak_bytes"] > 128 * MIB, verdict)


def check_own_recorder(rehearsals):
    own = os.path.join(rehearsals.folder, "own.pickle")
    for options in ([], ["--no-record"]):
        answer, done, output = rehearsals.python(options, OWN_RECORDER, own)
        check(done.returncode == 0, answer, done.stderr)
        with open(own, "rb") as stream:
            snapshot = pickle.load(stream)
        check("memviz_rehearsal" in snapshot, snapshot.keys())
        actions = [event["action"] for event in snapshot["device_traces"][0]]
        check(actions.count("alloc") == 4, actions)
        check(os.path.exists(output) == (not options), output)


SPINS = """
import os, signal, sys, torch
done = torch.zeros(1 << 20, device="cuda") + 1
reads = 0
while not bool(done[0] == 1):
    reads += 1
    if reads == 11_000:
        os.kill(os.getpid(), int(sys.argv[1]))
"""


def check_interrupted(rehearsals):
    for number, files, place in ((signal.SIGINT, 1, "<string>:8"), (signal.SIGTERM, 1, "<string>:8"), (signal.SIGKILL, 0, "")):
        answer, done, _ = rehearsals.python(["--values=off"], SPINS, str(int(number)))
        verdict = answer["verdict"]
        check(done.returncode == 128 + number, done.returncode, number)
        check(verdict["outcome"] == "failed" and "Until then on NVIDIA H100" in verdict["text"], verdict)
        device = verdict["devices"][0]
        check(device["peak_bytes"] >= device["context_bytes"] + 8 * MIB and len(verdict["files"]) == files, verdict)
        check("read 10,000 times" in done.stderr and verdict["host_reads"] >= 8192, done.stderr, verdict)
        check(verdict["interrupted_at"] == place, verdict)


def check_ranks(rehearsals):
    program = os.path.join(rehearsals.folder, "ranks.py")
    with open(program, "w") as file:
        file.write(RANKS)
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", program]
    answer, done, _ = rehearsals.run(["--devices", "2"], launcher)
    verdict = answer["verdict"]
    check(done.returncode == 0 and verdict["outcome"] == "fits", answer, done.stderr)
    found = [(use["rank"], use["device"], use["peak_reserved_bytes"]) for use in verdict["devices"]]
    check(found == [(0, 0, 256 * MIB), (1, 1, 512 * MIB)], found)
    check(len(verdict["files"]) == 2 and "rank1" in "".join(file["file"] for file in verdict["files"]), verdict["files"])


def check_training_together(rehearsals):
    program = os.path.join(rehearsals.folder, "together.py")
    with open(program, "w") as file:
        file.write(TOGETHER)
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", program]
    for way, shards in (("ddp", 1), ("fsdp", 2), ("fully_shard", 2)):
        answer, done, _ = rehearsals.run(["--devices", "2"], launcher, way)
        verdict = answer["verdict"]
        check(done.returncode == 0 and verdict["outcome"] == "fits", way, verdict, done.stderr)
        check(done.stdout.count(f"moments {2 * 32 * MIB // shards}") == 2, way, done.stdout)
        check(verdict["deciding_read_lines"] == [] and "other_values" not in verdict, way, verdict)
        first, second = (use["peak_reserved_bytes"] for use in verdict["devices"])
        # Parameters, two moments, and gradients of at least one layer.
        check(min(first, second) >= (3 * 32 + 16) * MIB // shards, way, first, second)
        check(abs(first - second) <= 4 * MIB, way, first, second)
    answer, done, _ = rehearsals.run(["--devices", "2", "--values"], launcher, "ddp")  # whose ranks compare their parameters
    check(done.returncode == 0 and answer["verdict"]["outcome"] == "fits", answer, done.stderr)


def main():
    del sys.path[0]  # next to this file lies the torch of other tests
    folder_of_torch = os.path.dirname(importlib.util.find_spec("torch").origin)
    # Without the import, which fails where NVIDIA's libraries are missing.
    if runpy.run_path(os.path.join(folder_of_torch, "version.py"))["cuda"] is None:
        print("skipped: this torch was built without CUDA")
        return
    with tempfile.TemporaryDirectory() as folder:
        rehearsals = Rehearsals(sys.argv[1], folder)
        checks = (check_fits, check_does_not_fit, check_search, check_compare, check_tried, check_no_init, check_steps, check_own_recorder,
                  *rehearsed_values.CHECKS, check_interrupted, check_ranks, check_training_together)
        for one in checks if not sys.argv[2:] else [{check.__name__: check for check in checks}[name] for name in sys.argv[2:]]:
            one(rehearsals)
            print(one.__name__, "is right", flush=True)


main()

"""The advice of `memviz explain`, tried: programs at random run out of memory, do what the first advice says, and run whole.

    whole.py MEMVIZ REHEARSAL [--seeds 0:200] [--list]

REHEARSAL is the folder of libmemviz_rehearsal.so. Python must have a torch with CUDA.

Each program first runs on a device that is large enough, then on one that has a part of its peak. If memory runs out there,
memviz reads the recording, the program is changed as the first advice that can be tried says, and runs again from its start.
It goes on if it then runs to its end. Of the advice, some says that the program goes on; some removes a cause, or frees enough
as far as the recording shows; some says that the rest of the pass is unknown. The first must go on, and LEAST_SHARE of the first two; a validation that no recording has shown yet counts for itself.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import made_up_gpu
from whole_programs import random_program, run

LARGE_BYTES = 70 << 30
LEAST_SHARE = 0.95  # of seeds 0:200 it was 0.98 on 28 November 2026

PARTS = {"a quarter": 4, "an eighth": 8}

# The beginning of an advice, and what it changes.
CHANGES = (
    (r"Set PYTORCH_CUDA_ALLOC_CONF=(\S+?): ", lambda program, found: {"settings": found[1]}),
    (r"Halve the batch", lambda program, found: {"batch": program["batch"] // 2}),
    (r"Reduce the batch .* to (a quarter|an eighth)", lambda program, found: {"batch": program["batch"] // PARTS[found[1]]}),
    (r"Checkpoint each layer", lambda program, found: {"checkpoint": True}),
    (r"Keep fewer activations .*checkpointing each layer", lambda program, found: {"checkpoint": True}),
    (r"Keep fewer activations", lambda program, found: {"batch": program["batch"] // 2}),
    (r"Create the optimizer with foreach=False", lambda program, found: {"foreach": False}),
    (r"(Run it under torch.no_grad|Let go of each step's graph|Keep less of each call)", lambda program, found: {"leak": None}),
    (r"Release the memory that each step", lambda program, found: {"leak": None}),
    (r"Compute the loss in pieces", lambda program, found: {"pieces": 8}),
    (r"Use torch.nn.functional.scaled_dot_product_attention", lambda program, found: {"scores": False}),
    (r"(Make the optimizer's state smaller|If only a part is to be trained)", lambda program, found: {"frozen": True}),
    (r"If the weights are float32", lambda program, found: {"bfloat16": True}),
)


SAID, FREES, UNKNOWN = "says that it goes on", "removes or frees enough", "says that it does not know"


def claim_of(advice):
    if "the program goes on" in advice:
        return SAID
    if "no batch is small enough." in advice and "If the optimizer" in advice:
        return UNKNOWN
    if "then still lacks" in advice and "as well" not in advice:
        return UNKNOWN
    return UNKNOWN if "the rest of the pass is unknown" in advice else FREES


def change_of(program, advice):
    """Returns what an advice changes; None if it cannot be tried with this program, or changes nothing."""
    for pattern, changes in CHANGES:
        if found := re.match(pattern, advice):
            changed = {**program, **changes(program, found)}
            if changed != program and (part := re.search(r"halve the batch|to (a quarter|an eighth) as well", advice)):
                changed["batch"] //= PARTS.get(part[1], 2)
            return changed if changed != program else None
    return None


def child(program, memory_bytes, snapshot, pipe):
    """Runs the program in this process, which ends here."""
    os.environ["MEMVIZ_REHEARSAL_MEMORY"] = str(memory_bytes)
    import torch

    torch._C._accelerator_setAllocatorSettings(program["settings"] or "expandable_segments:False")
    if snapshot:
        torch.cuda.memory._record_memory_history(max_entries=200_000, stacks="all", global_record_annotations=True)
    outcome = {"fits": True}
    try:
        run(torch, program)
    except torch.OutOfMemoryError as error:
        outcome.update(fits=False, phase=getattr(error, "phase", "start"), seen=getattr(error, "seen", []))
        if snapshot:
            torch.cuda.memory._dump_snapshot(snapshot)
    except RuntimeError as error:
        outcome["error"] = str(error)[:300]
    stats = torch.cuda.memory_stats()
    outcome["peak_bytes"] = stats["reserved_bytes.all.peak"]
    free_bytes, total_bytes = torch.cuda.mem_get_info()
    outcome["outside_bytes"] = total_bytes - free_bytes - stats["reserved_bytes.all.current"]
    os.write(pipe, json.dumps(outcome).encode())


def run_whole(program, memory_bytes, snapshot=None):
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            child(program, memory_bytes, snapshot, writer)
        except BaseException as error:  # a child must never go on with what its parent does
            os.write(writer, json.dumps({"error": repr(error)[:300]}).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(process, 0)
    return json.loads(text or '{"error": "the process died"}')


def explain(memviz, path):
    done = subprocess.run([memviz, "explain", "--quiet", "--json", "-", path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["devices"][0]


def judge(memviz, program, snapshot):
    """Returns (what happened, the advice, the reason for the next)."""
    large = run_whole(program, LARGE_BYTES)
    if "error" in large or not large["fits"]:
        return "not run", large.get("error", "too large"), ""
    memory_bytes = large["outside_bytes"] + int(large["peak_bytes"] * program["part"])
    small = run_whole(program, memory_bytes, snapshot)
    if "error" in small:
        return "not run", small["error"], ""
    if small["fits"]:
        return "fits", "", ""
    device = explain(memviz, snapshot)
    basis = (device["pass"] or {}).get("basis", "")
    for advice in device["advice"]:
        changed = change_of(program, advice)
        if not changed:
            continue
        again = run_whole(changed, memory_bytes)
        if "error" in again:
            return "not run", again["error"], basis
        is_new = not again["fits"] and again["phase"] == "validation" and "validation" not in small["seen"]
        end = "goes on" if again["fits"] else "fails in its first validation" if is_new else "FAILS"
        return f"{claim_of(advice)}: {end}", advice, basis
    return "no advice to try", " / ".join(device["advice"]), basis


def arguments():
    parser = made_up_gpu.parser_of(__doc__)
    parser.add_argument("--list", action="store_true", help="print what happened to each program")
    return parser.parse_args()


def main():
    options = arguments()
    made_up_gpu.start_again(
        options.rehearsal,
        OMP_NUM_THREADS="1",
        TORCH_SYMBOLIZE_MODE="dladdr",  # names of functions are enough, and addr2line takes long
    )
    import torch  # once, instead of in every process
    import torch._inductor.codecache
    import torch.utils.checkpoint

    first, end = map(int, options.seeds.split(":"))
    begin, counts = time.monotonic(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, end):
            program = random_program(seed)
            outcome, advice, basis = judge(options.memviz, program, str(pathlib.Path(folder, "oom.pickle")))
            counts[outcome] += 1
            if options.list:
                print(f"{seed:5} {outcome:38} {basis:14} {advice[:160]}", flush=True)
    print(f"{end - first} programs, {time.monotonic() - begin:.0f} s")
    for outcome, count in sorted(counts.items()):
        print(f"{count:7} {outcome}")
    well = sum(counts[f"{claim}: goes on"] for claim in (SAID, FREES))
    tried = well + sum(counts[f"{claim}: FAILS"] for claim in (SAID, FREES))
    print(f"{well} of {tried} whose advice promised something go on")
    return 1 if counts[f"{SAID}: FAILS"] or well < LEAST_SHARE * tried else 0


if __name__ == "__main__":
    sys.exit(main())

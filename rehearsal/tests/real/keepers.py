"""Records real programs in a training step on the made-up GPU, and prints the table of docs/keepers.md: how much of the
memory in use has a keeper, how long the walk over the heap took, and whether the program's output, figures and exit code are
those that it has without memviz.

    keepers.py MEMVIZ PYTHON [PROGRAM...]

PYTHON is that of an environment with accelerate, datasets, deepspeed, diffusers, lightning, peft, transformers and trl, for vLLM of
one with vLLM, whose folder of programs is in PATH; outside of CI, because these take 1 GB in addition to torch, and vLLM 8 GB. About
a minute for each program, three for vLLM. Ends with 1 where a program fails, changes, or has a keeper for less than 90 %. Memory
that libraries hold in C++ is left out: the workspaces of cuBLAS, and the buckets of DDP's reducer.
"""

import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
LEAST_SHARE = 0.9
PROGRAMS = {
    "transformers Trainer": ["kept/transformers_trainer.py"],
    "LoRA by peft": ["kept/peft_lora.py"],
    "accelerate, FSDP": ["jobs/accelerate_fsdp.py", "1"],
    "accelerate, FSDP 2": ["jobs/accelerate_fsdp.py", "2"],
    "fully_shard": ["kept/fsdp2.py"],
    "DDP": ["kept/ddp.py"],
    "Lightning": ["kept/lightning_trainer.py"],
    "Lightning, FSDP": ["jobs/lightning_fsdp.py"],
    "DeepSpeed, ZeRO 3": ["jobs/deepspeed_zero.py", "3"],
    "torch.compile": ["kept/compiled.py"],
    "diffusers": ["kept/diffusion.py"],
    "torchtitan": ["kept/torchtitan_debug.py"],
    "trl, SFT": ["kept/trl_sft.py"],
    "trl, GRPO": ["kept/trl_grpo.py"],
    "vLLM": ["kept/vllm_generate.py"],
}
ONE_RANK = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1"}
OF_LIBRARIES = re.compile("getNewWorkspace|CUDABlasHandle|CUDABlasLtWorkspace|c10d::Reducer::initialize_bucket")
TIMES = re.compile(r"'(train_(runtime|\w+_per_second)|step_time)': '[^']*'|^\[20[0-9][^]]*\].*\n", re.M)
# Their sizes depend on values that the GPU computes.
OF_VALUES = ("trl, GRPO",)
OF_RANKS = ("FSDP", "fully_shard", "DDP", "DeepSpeed", "torchtitan")


def run(memviz, python, name, before):
    """Returns the exit code and the standard output, and what went wrong."""
    program = [str(HERE / PROGRAMS[name][0]), *PROGRAMS[name][1:]]
    environment = dict(os.environ, PYTHONPATH=str(SOURCE / "python"), MEMVIZ_PROGRAM=memviz, HF_HUB_OFFLINE="1")
    if any(word in name for word in OF_RANKS):
        environment.update(ONE_RANK, MASTER_PORT=str(20000 + os.getpid() % 10000))
    with tempfile.TemporaryDirectory() as folder:
        # Both kinds of run import the modules next to the program.
        environment["PYTHONPATH"] += os.pathsep + str(pathlib.Path(program[0]).parent)
        values = [] if name in OF_VALUES else ["--values=off"]
        words = [memviz, "rehearse", "--quiet", "--no-record", *values, "--memory", "8GiB", "--json", "report.json", "--"]
        done = subprocess.run([*words, python, "-W", "ignore", *before, *program], cwd=folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=1200)
    return (done.returncode, TIMES.sub("", done.stdout)), done.stderr


def bytes_of_libraries(snapshot):
    """Returns the bytes of the blocks that libraries have allocated and no Python object refers to."""
    addresses = sorted(snapshot["memviz_keepers"]["storage_address"])
    total = 0
    for block in (block for segment in snapshot["segments"] for block in segment["blocks"]):
        is_kept = any(block["address"] <= address < block["address"] + block["size"] for address in addresses)
        is_of_library = any(OF_LIBRARIES.search(frame["name"]) for frame in block.get("frames", ()))
        if block["state"] == "active_allocated" and is_of_library and not is_kept:
            total += block["requested_size"]
    return total


def row(memviz, python, name, file):
    without, said = run(memviz, python, name, [])
    recorded, said_too = run(memviz, python, name, [str(HERE / "kept" / "in_a_step.py"), file])
    if without[0] != 0 or not os.path.exists(file):
        return f"| {name} | failed | | | | |", False, [*said.splitlines()[-3:], *said_too.splitlines()[-12:]]
    snapshot = pickle.loads(pathlib.Path(file).read_bytes())
    facts = snapshot["memviz_keepers"]
    words = [memviz, "explain", "--at", "end", "--json", "-", "--quiet", file]
    answer = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)["devices"][0]["keepers"]
    account = answer["account"]
    libraries = bytes_of_libraries(snapshot)
    share = account["kept_bytes"] / (account["total_bytes"] - libraries)
    is_same = without == recorded
    rest = {key: value for key, value in account.items() if key not in ("total_bytes", "kept_bytes") and value}
    line = (f"| {name} | {account['total_bytes'] / (1 << 20):,.0f} MiB | {libraries / (1 << 20):,.0f} MiB | {100 * share:.1f} % | {facts['objects']:,} | "
            f"{facts['seconds']:.2f} s | {'as without' if is_same else 'CHANGED'} |")
    details = [f"not named: {rest}"] if share < 1 else []
    details += [f"{one['bytes'] / (1 << 20):8.1f} MiB {one['root']} {one['path']} {one['through_graph']}" for one in answer["groups"][:8]]
    details += [] if is_same else [repr(without), repr(recorded)]
    return line, share >= LEAST_SHARE and is_same, details


def main():
    memviz, python = os.path.abspath(sys.argv[1]), sys.argv[2]
    is_right = True
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[3:] or PROGRAMS:
            line, is_fine, details = row(memviz, python, name, os.path.join(folder, f"{len(os.listdir(folder))}.pickle"))
            is_right &= is_fine
            print(line, *details, sep="\n    ", flush=True)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())

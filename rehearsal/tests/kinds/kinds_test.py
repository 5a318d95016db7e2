"""The kinds that memviz finds in a snapshot against what PyTorch's own objects say of the same moment.

    kinds_test.py MEMVIZ REHEARSAL_FOLDER

Runs with a Python that has torch, on a made-up GPU. Prints a table; ends with 1 where memory is called a kind that it is
not (more than 1 % of what is called so), or where less than 95 % of what PyTorch names is named. What is older than a
recording is not asked for before a gradient has been made.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FOUND = ["parameter", "gradient", "optimizer_state", "activation", "input"]
SCALARS = 1024  # bytes of losses and their like, which a variable holds as long as autograd does
PROGRAMS = ["sgd", "fused", "assigned", "kept", "failed", "penalty", "momentum", "averaged"]
# Without a backward pass. Nothing may be called what it is not; UNASKED need not be called anything.
FORWARD_ONLY = ["evaluated", "evaluated_in_half", "constructed"]
UNASKED = ["cached_in_layers", "cached_apart", "constructed_with_caches", "tuned", "half_copied", "cached_data"]
UNASKED += ["hidden_states", "cast_without_graph", "kept_outputs", "recurrent"]
# Until they are freed, the outputs of a small model look like its activations.
SEEN_LATER_ONLY = ["kept_outputs"]
# Older than the recording, before any gradient whose size shows what it is.
OLD = {("late", "first"): ["parameter"]}
# With stacks of Python alone no frame shows what is copied to the device.
OLD["constructed", "forward"] = ["input"]
# An averaged model is a second copy of the parameters, and as old.
OLD.update({("averaged", moment): ["parameter"] for moment in ["forward3", "backward3", "end"]})


def segments_of(memviz, snapshot, moment="end"):
    """Returns bytes by segment and kind, as memviz shows them: {(address, kind): bytes}."""
    command = [memviz, "export", snapshot, "--format", "json", "--group", "segment,kind", "--quiet", "--at", moment]
    nodes = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["nodes"]
    bytes_of = collections.Counter()
    for node in nodes:
        if node["kind"] == "kind":
            bytes_of[int(nodes[node["parent"]]["address"]), node["label"]] += node["total_bytes"]
    return bytes_of


def truth_of(snapshot_path, truth_path):
    """Returns the same from PyTorch's objects."""
    import pickle

    truth = json.loads(truth_path.read_text())
    bytes_of = collections.Counter()
    for segment in pickle.loads(snapshot_path.read_bytes())["segments"]:
        for block in segment["blocks"]:
            kind, _ = truth.get(str(block["address"]), (None, 0))
            if kind and block["state"] == "active_allocated":
                bytes_of[segment["address"], kind] += block["size"]
    return bytes_of


def judge(when, moment, told, true):
    """Prints memviz's answer for the truth, by kind; returns whether it is good enough."""
    is_good = True
    for kind in FOUND:
        called = sum(size for (_, of), size in told.items() if of == kind)
        real = sum(size for (_, of), size in true.items() if of == kind)
        right = sum(min(size, true[place]) for place, size in told.items() if place[1] == kind)
        print(f"{when + ', ' + moment:18} {kind:16} true {real:>11,}  told {called:>11,}  right {right:>11,}")
        is_asked = kind not in OLD.get((when, moment), []) and when not in UNASKED
        is_good = is_good and right >= 0.99 * called - SCALARS and (right >= 0.95 * real or not is_asked)
    return is_good


def main():
    memviz, rehearsal = sys.argv[1], pathlib.Path(sys.argv[2])
    environment = {
        **os.environ,
        "LD_PRELOAD": str(rehearsal / "libmemviz_rehearsal.so"),
        "LD_LIBRARY_PATH": str(rehearsal),
    }
    is_good, judged = True, 0

    def start(script, *words):
        program = pathlib.Path(__file__).with_name(script)
        subprocess.run([sys.executable, program, *words], env=environment, check=True)

    def look_at(folder, when, moments):
        nonlocal is_good, judged
        for moment in moments:
            snapshot = folder / f"{moment}.pickle"
            true = truth_of(snapshot, folder / f"{moment}.json")
            judged += sum(true.values())
            if when not in SEEN_LATER_ONLY:
                is_good = judge(when, moment, segments_of(memviz, snapshot), true) and is_good
            later = snapshot.with_suffix(".later")
            if later.exists():
                is_good = judge(when, f"{moment}, seen later", segments_of(memviz, later, "peak"), true) and is_good

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for when in ["early", "late", "resumed"]:
            (folder / when).mkdir()
            start("program.py", when, folder / when)
            look_at(folder / when, when, ["forward", "end"] if when == "resumed" else ["first", "forward", "end"])
        programs = [*PROGRAMS, *FORWARD_ONLY, *UNASKED]
        if len(sys.argv) > 3:
            programs = sys.argv[3:]
        start("programs.py", folder, *programs)
        for program in programs:
            look_at(folder / program, program, sorted(path.stem for path in (folder / program).glob("*.pickle")))
    return 0 if is_good and judged > 0 else 1


if __name__ == "__main__":
    sys.exit(main())

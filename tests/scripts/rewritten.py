#!/usr/bin/env python3
"""Snapshots that memviz writes anew (export --format pickle) have the answers of their originals.

    rewritten.py [--every] [--parts N] [--torch PYTHON] MEMVIZ FILE...

For each file: the answers of the rewritten file equal those of the original, except for what no pickle can carry over
(its encoding, and warnings of what could not be read); the fast reader reads it, Python's pickle loads it; rewritten
once more it has the same bytes. A part of the events, up to a moment, has the figures of the original at that moment.
With --every more commands are compared. With --torch PyTorch's own tools of that Python must
print the same for both files. Files that memviz refuses are counted; there must be at least one that it reads.
"""

import argparse
import concurrent.futures
import difflib
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile

ANSWERS = [
    ["stats", "--json", "-"],
    ["trace", "--format", "ndjson"],
    ["export", "--format", "folded"],
    ["explain", "--json", "-"],
]
MORE_ANSWERS = [
    ["stats", "--at", "peak", "--json", "-"],
    ["state", "--json", "-"],
    ["trace", "--stacks"],
    ["leaks", "--json", "-"],
    ["timeline", "--json", "-"],
    ["export", "--format", "folded", "--device", "host"],
    ["export", "--format", "json", "--at", "peak", "--group", "kind,compile,annotation,metadata"],
]
# The parts that the reader ignores, and that therefore cannot be written again.
LOST_WARNING = re.compile(
    r"does not read|left out|follow the end of the pickle|requested_size above|state that memviz does not know|double precision"
)
FIGURES = ["reserved_bytes", "allocated_bytes", "pending_free_bytes", "requested_bytes", "inactive_bytes", "segments"]


def run(arguments, folder, **more):
    return subprocess.run(arguments, cwd=folder, capture_output=True, **more)


def without_encoding(value):
    if isinstance(value, list):
        return [without_encoding(one) for one in value if not (isinstance(one, str) and LOST_WARNING.search(one))]
    if isinstance(value, dict):
        return {
            key: without_encoding(one)
            for key, one in value.items()
            if key != "encoding" and not LOST_WARNING.search(str(one.get("text", "") if isinstance(one, dict) else ""))
        }
    return value


def answer(memviz, command, folder, name):
    ran = run([memviz, command[0], name, *command[1:]], folder)
    text = ran.stdout.decode(errors="backslashreplace")
    if command[-2:] == ["--json", "-"] and text:
        text = json.dumps(without_encoding(json.loads(text)), indent=1)
    errors = [line for line in ran.stderr.decode(errors="backslashreplace").splitlines() if not LOST_WARNING.search(line)]
    return [f"exit code {ran.returncode}", *errors, *text.splitlines()]


def figures(memviz, folder, name, device, event):
    ran = run([memviz, "stats", name, "--at", f"event:{event}", "--device", str(device), "--json", "-"], folder)
    if ran.returncode != 0:
        return ran.stderr.decode()
    return {key: json.loads(ran.stdout)["devices"][0][key] for key in FIGURES}


class Proof:
    def __init__(self, options, file, scratch):
        self.options = options
        self.memviz = options.memviz.resolve()
        self.file = file.resolve()
        self.folders = [scratch / word for word in ("before", "after", "again", "part")]
        for folder in self.folders:
            folder.mkdir()
        self.name = self.file.name.replace(".json", ".pickle").removesuffix(".gz").removesuffix(".zst")
        os.symlink(self.file, self.folders[0] / self.name)
        self.failures = []
        self.parts = 0

    def fail(self, what, before, after):
        difference = list(difflib.unified_diff(before, after, "before", "after", lineterm="", n=0))
        self.failures.append(f"{self.file.name}: {what}\n  " + "\n  ".join(line[:300] for line in difference[:12]))

    def write(self, source, target, *more):
        path = target / self.name
        ran = run([self.memviz, "export", self.name, "--format", "pickle", "-o", path, *more], source)
        if ran.returncode != 0:
            return ran.stderr.decode(errors="backslashreplace")
        return ""

    def check(self):
        """Whether memviz reads the file."""
        before, after, again, part = self.folders
        error = self.write(before, after)
        if error:
            if not run([self.memviz, "stats", self.name], before).returncode:
                self.failures.append(f"{self.file.name}: read, and not written: {error}")
            return False
        for command in ANSWERS + (MORE_ANSWERS if self.options.every else []):
            answers = [answer(self.memviz, command, folder, self.name) for folder in (before, after)]
            if answers[0] != answers[1]:
                self.fail(" ".join(command), *answers)
        self.check_encoding(after, again)
        self.check_parts(before, part)
        if self.options.torch:
            self.check_torch(before, after)
        return True

    def check_encoding(self, after, again):
        reader = json.loads(run([self.memviz, "check", self.name, "--json", "-"], after).stdout)["reader"]
        if reader["name"] != "fast":
            self.failures.append(f"{self.file.name}: read by {reader}")
        error = self.write(after, again)
        if error or (after / self.name).read_bytes() != (again / self.name).read_bytes():
            self.failures.append(f"{self.file.name}: rewritten once more it differs {error}")
        with open(after / self.name, "rb") as file:
            pickle.load(file)

    def check_parts(self, before, part):
        devices = json.loads(run([self.memviz, "stats", self.name, "--json", "-"], before).stdout)["devices"]
        for device in devices:
            number, events = device["device"], device["events"]
            # Edited files, whose states at earlier moments are approximate.
            is_edited = not device["balanced"] or device["outside_bytes"] or device["unaccounted_bytes"]
            if is_edited or events < 4:
                continue
            count = self.options.parts
            for i in range(1, count + 1):
                self.check_part(before, part, number, events // 4, events // 4 + i * (events // 2) // count)

    def check_part(self, before, part, device, first, last):
        error = self.write(before, part, "--device", str(device), "--from", str(first), "--to", str(last))
        if error:
            self.failures.append(f"{self.file.name}: events {first} to {last}: {error}")
            return
        self.parts += 1
        stats = json.loads(run([self.memviz, "stats", self.name, "--json", "-"], part).stdout)["devices"][0]
        if stats["events"] != last - first + 1 or not stats["balanced"]:
            self.failures.append(f"{self.file.name}: events {first} to {last}: {stats}")
        for event in {first, (first + last) // 2, last}:
            expected = figures(self.memviz, before, self.name, device, event)
            found = figures(self.memviz, part, self.name, device, event - first)
            if expected != found:
                self.failures.append(f"{self.file.name}: event {event} of {first} to {last}: {expected} became {found}")

    def check_torch(self, before, after):
        """Returns the sums of PyTorch's own tool, without lines of free blocks, whose requested sizes are stale, and
        its log."""
        script = (
            "import pickle, sys; from torch.cuda import _memory_viz as viz; snapshot = pickle.load(open(sys.argv[1], 'rb'));"
            "root = snapshot if isinstance(snapshot, dict) else {'segments': snapshot};"
            "print(''.join(line + chr(10) for line in viz.memory(root, lambda text: text).splitlines() if ';inactive;' not in line));"
            "print(viz.segsum(root)); print(viz.trace(root).replace(\", 'frames': []\", ''))"
        )
        texts = [run([self.options.torch, "-c", script, self.name], folder) for folder in (before, after)]
        lines = [text.stdout.decode().splitlines() + text.stderr.decode().splitlines()[-1:] for text in texts]
        if sorted(lines[0]) != sorted(lines[1]):
            self.fail("PyTorch's own tool", sorted(lines[0]), sorted(lines[1]))


def proof_of(options, file):
    with tempfile.TemporaryDirectory() as scratch:
        proof = Proof(options, file, pathlib.Path(scratch))
        return proof.check(), proof.parts, proof.failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--parts", type=int, default=2, metavar="N", help="of each device, with figures at three events each")
    parser.add_argument("--torch")
    parser.add_argument("memviz", type=pathlib.Path)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    read = parts = failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for is_read, parts_of_file, found in pool.map(lambda file: proof_of(options, file), options.files):
            read += is_read
            parts += parts_of_file
            failures += len(found)
            print("".join(failure + "\n" for failure in found), end="", flush=True)
    print(f"{read} files rewritten, {parts} parts of them, {len(options.files) - read} refused, {failures} failures")
    return 1 if failures or read == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

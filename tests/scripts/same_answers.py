#!/usr/bin/env python3
"""Runs two builds of memviz over the same files with every command and format, and shows each answer that differs.

    tests/scripts/same_answers.py [--but-scripts] BEFORE AFTER [FILE...]

With --but-scripts the scripts and styles of pictures may differ. Without files: all of testdata/ and, where it is there, ../shared/snapshots. For a redesign, which shall change no answer; an
answer is what is on standard output, standard error, in the output file, and the exit code. Exits with 1 where one
differs. The number of answers compared is printed, so that an empty run cannot pass for a good one.
"""

import concurrent.futures
import difflib
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_LINES = 12

PICTURES = [
    ["flame"],
    ["flame", "--at", "end", "--upward"],
    ["flame", "--at", "peak", "--view", "segments"],
    ["flame", "--frames", "all", "--group", "device,pool,segment"],
    ["flame", "--frames", "user", "--at", "event:7"],
    ["flame", "--redact", "all", "--no-fold"],
    ["state"],
    ["state", "--at", "end"],
    ["state", "--at", "event:5", "--device", "0"],
    ["timeline"],
    ["timeline", "--axis", "time", "--detail", "5"],
    ["timeline", "--view", "segments"],
    ["timeline", "--view", "pools"],
]
TEXTS = [
    ["stats"],
    ["stats", "--at", "peak"],
    ["stats", "--json", "-"],
    ["stats", "--redact", "names", "--json", "-"],
    ["trace"],
    ["trace", "--stacks", "--from", "peak", "--device", "0"],
    ["trace", "--action", "alloc,oom", "--device", "0", "--to", "event:40"],
    ["trace", "--format", "ndjson"],
    ["explain"],
    ["explain", "--at", "peak"],
    ["explain", "--json", "-"],
    ["explain", "--capacity", "192GiB", "--json", "-"],
    ["leaks"],
    ["leaks", "--json", "-"],
    ["check"],
    ["check", "--json", "-"],
    ["export", "--format", "folded"],
    ["export", "--format", "folded", "--view", "segments", "--at", "peak"],
    ["export", "--format", "json"],
    ["export", "--format", "json", "--group", "state,stream", "--at", "oom"],
]
PAIRS = [["compare"], ["compare", "--at", "peak"], ["compare", "--json", "-"], ["compare", "--fail-over", "1%", "--match", "function"]]


def files_of(arguments):
    if arguments:
        return [pathlib.Path(name).resolve() for name in arguments]
    folders = [ROOT / "testdata", ROOT.parent / "shared" / "snapshots"]
    found = [path for folder in folders if folder.exists() for path in folder.rglob("*") if "flops" not in path.parts]
    return sorted(path for path in found if path.suffix in {".pickle", ".json", ".gz", ".zst"} and path.is_file())


def runs_of(files):
    """Returns each as the words after the program, and the kind of output that -o gets ("" for none)."""
    for path in files:
        yield from ((words[:1] + [str(path)] + words[1:], ".svg") for words in PICTURES)
        yield from ((words[:1] + [str(path)] + words[1:], "") for words in TEXTS)
        yield ["explain", str(path)], ".svg"
    for before, after in itertools.pairwise(files):
        pair = [str(before), str(after)]
        yield from ((words[:1] + pair + words[1:], "") for words in PAIRS)
        yield ["compare", *pair], ".svg"
        yield ["compare", *pair, "--markdown"], ".md"


def without_scripts(text):
    return re.sub(rb"<(script|style)\b.*?</\1>", b"", text, flags=re.S)


def answer_of(program, words, ending):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "answer" + ending)
        extra = [] if not ending else [output] if words[-1] == "--markdown" else ["-o", output]
        done = subprocess.run([program, *words, *extra], capture_output=True, cwd=folder, timeout=600, check=False)
        written = pathlib.Path(output).read_bytes() if ending and os.path.exists(output) else b""
    parts = [b"exit code %d\n" % done.returncode, done.stdout, done.stderr, written]
    return b"\n".join(parts).replace(folder.encode(), b"FOLDER")


def difference(before, after):
    """Returns the first lines that differ, cut to what fits in a terminal."""
    lines = [text.decode(errors="replace").splitlines() for text in (before, after)]
    changed = [line for line in difflib.unified_diff(*lines, lineterm="", n=0) if not line.startswith(("---", "+++", "@@"))]
    shown = [line[:200] for line in changed[:MOST_LINES]]
    return shown + ([f"... and {len(changed) - MOST_LINES} more lines"] if len(changed) > MOST_LINES else [])


def main():
    arguments = [word for word in sys.argv[1:] if word != "--but-scripts"]
    shown = without_scripts if len(arguments) < len(sys.argv) - 1 else bytes
    if len(arguments) < 2:
        sys.exit(__doc__)
    programs = [str(pathlib.Path(name).resolve()) for name in arguments[:2]]
    runs = list(runs_of(files_of(arguments[2:])))

    def both(run):
        return run, [shown(answer_of(program, *run)) for program in programs]

    different = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (words, ending), (before, after) in pool.map(both, runs):
            if before == after:
                continue
            different += 1
            print(" ".join(["memviz", *words, ending]), *difference(before, after), sep="\n    ")
    print(f"{len(runs)} answers compared, {different} differ")
    sys.exit(1 if different or not runs else 0)


if __name__ == "__main__":
    main()

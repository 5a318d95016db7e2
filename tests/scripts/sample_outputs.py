#!/usr/bin/env python3
"""Runs the commands of the sample outputs in README.md and docs/*.md, and compares what they print today.

usage: sample_outputs.py MEMVIZ SOURCE_FOLDER [--write]

A sample is a fenced block after a line of either form:

    <!-- sample: memviz explain oom.pickle | head -12 -->
    <!-- recorded: what made it, and when -->

The command of the first runs in a folder with the files of testdata/, for each sample a new one. Its output is what the
block has, after a first line "$ ..." if there is one; a line "..." in the block stands for any lines. The second is of
outputs that no file of testdata/ gives: rehearsals, which need PyTorch. A block that begins with "$ memviz" and goes on
must have one of them. With --write the blocks are written anew; of one with "..." the difference is printed alone. Ends
with 1 where one differs.
"""

from __future__ import annotations

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

MARK = re.compile(r"<!-- (sample|recorded): (.*) -->")
FENCE = "```"


@dataclass
class Sample:
    file: pathlib.Path
    begin: int  # the first line of the block that is output, counted from 0
    end: int
    kind: str  # "sample", "recorded", or "" without a mark
    words: str

    def lines(self, text: list[str]) -> list[str]:
        return text[self.begin : self.end]


def samples_of(file: pathlib.Path, text: list[str]) -> list[Sample]:
    """Returns the marked blocks, and those that begin with a command and have no mark."""
    found = []
    at = 0
    while at < len(text):
        if not text[at].startswith(FENCE):
            at += 1
            continue
        end = text.index(FENCE, at + 1)
        begin = at + 1
        has_command = text[begin].startswith("$ memviz")
        while begin < end and (text[begin].startswith("$ ") or (begin > at + 1 and text[begin].startswith("    --"))):
            begin += 1
        mark = MARK.fullmatch(text[at - 1])
        if mark or (has_command and begin < end):
            found.append(Sample(file, begin, end, mark[1] if mark else "", mark[2] if mark else ""))
        at = end + 1
    return found


def printed(command: str, memviz: pathlib.Path, testdata: pathlib.Path) -> list[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MEMVIZ", "COLUMNS"))}
    environment.update(PATH=f"{memviz.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder) / "testdata"
        shutil.copytree(testdata, work, ignore=shutil.ignore_patterns("hostile", "expected", "maker"))
        ran = subprocess.run(["sh", "-c", command], cwd=work, env=environment, capture_output=True, text=True)
    return (ran.stdout + ran.stderr).rstrip("\n").split("\n")


def is_same(documented: list[str], output: list[str]) -> bool:
    """Whether the output is what the block has, in which a line "..." stands for any lines."""
    parts = [".*" if line.strip() == "..." else re.escape(line) for line in documented]
    return re.fullmatch("\n".join(parts), "\n".join(output), re.DOTALL) is not None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("memviz", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    memviz, source = options.memviz.resolve(), options.source.resolve()
    faults = []
    checked = 0
    for file in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        text = file.read_text().split("\n")
        for sample in reversed(samples_of(file, text)):
            place = f"{file.relative_to(source)}:{sample.begin + 1}"
            if sample.kind == "recorded":
                continue
            if not sample.kind:
                faults.append(f"{place}: a sample output without <!-- sample: --> or <!-- recorded: -->")
                continue
            checked += 1
            output = printed(sample.words, memviz, source / "testdata")
            if is_same(sample.lines(text), output):
                continue
            if options.write and "..." not in [line.strip() for line in sample.lines(text)]:
                text[sample.begin : sample.end] = output
                continue
            faults.append(f"{place}: differs from what {sample.words!r} prints")
            faults += difflib.unified_diff(sample.lines(text), output, "documented", "printed", lineterm="", n=1)
        if options.write:
            file.write_text("\n".join(text))
    print("\n".join([*faults, f"{checked} sample outputs, {'differences' if faults else 'none differs'}"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

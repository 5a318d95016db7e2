#!/usr/bin/env python3
"""How fast memviz is, against a bare pass over the same opcodes, CPython's pickle and PyTorch's own tool.

All programs are measured as whole processes, in turn, on generated snapshots that are in the page cache. `./run bench`
builds what this needs and calls it.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

import generate
import report
import subjects
from generate import SHAPES

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Shape and writer of each file, and which subjects run on it (None: all).
FILES = [
    ("own", "python", None),
    ("shared", "python", None),
    ("own", "cpp", {"opcodes", "decode1", "flame1", "stats", "pickle"}),
]
SMALL_EVENTS = 24_000  # about 4 MB
LINEAR_EVENTS = [1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000]
LINEAR_SUBJECTS = {"opcodes", "decode1", "flame1", "stats"}


def parse():
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__, add_help=True)
    parser.add_argument("events", type=int, nargs="*", help="events of the snapshots (default: 4000000)")
    parser.add_argument("--quick", action="store_true", help="200000 events")
    parser.add_argument("--linear", action="store_true", help="instead: from 1 to 16 million events, CPU time for each")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each program (default: 7)")
    parser.add_argument("--slow-rounds", type=int, default=3, help="runs of the Python programs (default: 3)")
    parser.add_argument("--shape", choices=SHAPES, help="only this shape of file, by the Python writer")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build folder (default: build)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out", help="where bench.json goes (default: out)")
    options = parser.parse_args()
    if min([*options.events, options.rounds, options.slow_rounds], default=1) < 1:
        parser.error("numbers are positive")
    if not options.events:
        options.events = LINEAR_EVENTS if options.linear else [200_000 if options.quick else 4_000_000]
    return options


class Bench:
    def __init__(self, options):
        self.options = options
        self.tools = options.build / "tests" / "bench"
        self.memviz = options.build / "memviz"
        self.data = options.out / "bench-data"
        self.subjects = subjects.subjects(self.memviz, self.tools, sys.executable)
        self.runs = []

    def say(self, text, end="\r"):
        if sys.stderr.isatty():
            print(f"\x1b[K{text}", end=end, file=sys.stderr, flush=True)

    def file(self, events, shape, writer):
        path = self.data / f"{shape}-{writer}-{events}.pickle"
        self.say(f"generating {path.name}")
        with path.open("wb") as file:
            events = generate.write(file, events=events, shape=shape, writer=writer)
        return path, {"events": events, "shape": shape, "writer": writer, "bytes": path.stat().st_size}

    def compare(self, events, shape, writer, keys, rounds, slow_rounds):
        path, file = self.file(events, shape, writer)
        chosen = [s for s in self.subjects if keys is None or s.key in keys]
        results = subjects.in_turn(self.tools, chosen, path, self.data / "out.svg", rounds, slow_rounds, self.say)
        path.unlink()
        run = {"file": file, "figures": report.figures(file, results)}
        self.runs.append(run)
        self.say("", end="")
        return run

    def table(self, events, shape, writer, keys, rounds, slow_rounds, goals=None):
        run = self.compare(events, shape, writer, keys, rounds, slow_rounds)
        protocol = {"python": "Python's writer, protocol 4", "cpp": "the C++ writer, protocol 2"}[writer]
        size = run["file"]["bytes"] / 1e6
        print(f"\n{run['file']['events']:,} events, {size:,.1f} MB, {SHAPES[shape]}, {protocol}:\n")
        print(report.comparison(run["figures"]))
        if goals:
            run["goals"] = goals(run["figures"])
            print(f"\n{report.goals_table(run['goals'])}")
        sys.stdout.flush()

    def all_files(self):
        options = self.options
        slow = options.slow_rounds
        self.table(SMALL_EVENTS, "own", "python", None, 3 * options.rounds, slow, report.small_goals)
        files = [(options.shape, "python", None)] if options.shape else FILES
        for events in options.events:
            for shape, writer, keys in files:
                self.table(events, shape, writer, keys, options.rounds, slow, None if keys else report.goals)

    def linear(self):
        shape = self.options.shape or "shared"
        for events in self.options.events:
            self.compare(events, shape, "python", LINEAR_SUBJECTS, self.options.rounds, 0)
        print(f"\nCPU time for each event, {SHAPES[shape]}:\n\n{report.linearity(self.runs)}")

    def main(self):
        installed = subjects.torch()
        about = {
            "date": report.now(),
            "machine": report.machine(),
            "versions": report.versions(self.memviz, ROOT, installed),
        }
        machine = about["machine"]
        memory = machine["memory_bytes"] / (1 << 30)
        print(f"{about['date']}, {machine['cpu']}, {machine['processors']} processors, {memory:.0f} GiB")
        print(", ".join(f"{name} {version}" for name, version in about["versions"].items() if version))
        if machine["load_before"] > machine["processors"] / 4:
            print(f"This machine is not idle (load {machine['load_before']:.1f}): go by the CPU times, not the others")
        if not installed:
            print("PyTorch's own tool is left out: ./run capture-deps installs torch")
        self.data.mkdir(parents=True, exist_ok=True)
        try:
            self.linear() if self.options.linear else self.all_files()
        finally:
            shutil.rmtree(self.data)
        path = self.options.out / "bench.json"
        path.write_text(json.dumps(about | {"runs": self.runs}, indent=1) + "\n")
        print(f"\nall figures: {path}")


if __name__ == "__main__":
    try:
        Bench(parse()).main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"memviz: a program of the benchmark failed: {' '.join(map(str, error.cmd[:4]))} ...")
    except OSError as error:
        sys.exit(f"memviz: {error}")
    except KeyboardInterrupt:
        sys.exit(130)

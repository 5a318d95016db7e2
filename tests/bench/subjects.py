"""The programs that `./run bench` compares, how each is started, and how one run of it is measured."""

import dataclasses
import os
import pathlib
import shutil
import statistics
import subprocess

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
# The place where PyTorch's tool looks for it; it would download it otherwise.
FLAMEGRAPH = pathlib.Path.home() / ".cache" / "flamegraph.pl"

# The end of an interpreter, which frees object by object, is not counted, which favours CPython.
PICKLE_LOAD = """
import os, pickle, sys
with open(sys.argv[1], "rb") as file:
    pickle.load(file)
os._exit(0)
"""

# The work of `_memory_viz.py memory` without the Perl script at its end.
MEMORY_VIZ_WITHOUT_PERL = """
import importlib.util, os, pickle, sys
spec = importlib.util.spec_from_file_location("memory_viz", sys.argv[1])
memory_viz = importlib.util.module_from_spec(spec)
spec.loader.exec_module(memory_viz)
with open(sys.argv[2], "rb") as file:
    snapshot = pickle.load(file)
with open(sys.argv[3], "w") as out:
    out.write(memory_viz.memory(snapshot, format_flamegraph=lambda lines: lines))
os._exit(0)
"""


@dataclasses.dataclass
class Subject:
    key: str
    name: str
    command: list  # FILE and OUT stand for the snapshot and for a file to write
    is_slow: bool = False

    def argv(self, snapshot, out):
        return [{"FILE": str(snapshot), "OUT": str(out)}.get(word, str(word)) for word in self.command]


@dataclasses.dataclass
class Run:
    wall_s: float
    user_s: float
    system_s: float
    peak_bytes: int
    minor_faults: int
    major_faults: int


@dataclasses.dataclass
class Result:
    subject: Subject
    runs: list = dataclasses.field(default_factory=list)

    @property
    def median_s(self):
        return statistics.median(run.wall_s for run in self.runs)

    @property
    def cpu_s(self):
        return statistics.median(run.user_s + run.system_s for run in self.runs)

    @property
    def min_s(self):
        return min(run.wall_s for run in self.runs)

    @property
    def peak_bytes(self):
        return max(run.peak_bytes for run in self.runs)


def torch():
    """The newest PyTorch that `./run capture-deps` installed: version, Python and tool; None where there is none."""
    for venv in sorted(CACHE.glob("memviz/torch-*"), key=lambda path: path.stat().st_mtime, reverse=True):
        for tool in venv.glob("lib/python3*/site-packages/torch/cuda/_memory_viz.py"):
            if (venv / "installed").exists():
                return venv.name.removeprefix("torch-"), venv / "bin" / "python", tool
    return None


def subjects(memviz, tools, python):
    """In the order of the table. The first is what the others are measured against."""
    found = [
        Subject("opcodes", "bare pass over the opcodes", [tools / "memviz_bench_opcode_pass", "FILE"]),
        *(
            Subject(f"decode{n}", f"memviz's reader, {plural(n)}", [tools / "memviz_bench_decode", "FILE", n])
            for n in (1, 2)
        ),
        *(
            Subject(
                f"flame{n}",
                f"`memviz flame`, {plural(n)}",
                [memviz, "flame", "FILE", "-o", "OUT", "--threads", n, "--quiet"],
            )
            for n in (1, 2)
        ),
        *(
            Subject(
                key,
                f"`memviz export`, {name}, 1 thread",
                [memviz, "export", "FILE", "--format", "json", "--at", "auto", "--group", f"stream,{group}"]
                + ["-o", "OUT", "--threads", 1, "--quiet"],
            )
            for key, name, group in [("tree", "without kinds", "state"), ("kinds", "with kinds", "state,kind")]
        ),
        Subject("stats", "`memviz stats`, 1 thread", [memviz, "stats", "FILE", "--threads", 1, "--quiet"]),
        Subject("pickle", "CPython's `pickle.load`", [python, "-c", PICKLE_LOAD, "FILE"], is_slow=True),
    ]
    if installed := torch():
        version, torch_python, tool = installed
        if FLAMEGRAPH.exists() and shutil.which("perl"):
            name, command = "with flamegraph.pl", [torch_python, tool, "memory", "FILE", "-o", "OUT"]
        else:
            name = "without flamegraph.pl"
            command = [torch_python, "-c", MEMORY_VIZ_WITHOUT_PERL, tool, "FILE", "OUT"]
        found.append(Subject("torch", f"PyTorch {version}'s `_memory_viz.py memory`, {name}", command, is_slow=True))
    return found


def plural(threads):
    return "1 thread" if threads == 1 else f"{threads} threads"


def measure(tools, argv):
    """Returns the measurement of a whole process. Raises subprocess.CalledProcessError if it fails."""
    said = subprocess.run([tools / "memviz_bench_measure", *argv], stdout=subprocess.PIPE, check=True, text=True).stdout
    wall, user, system, peak_kib, minor, major = said.split()
    return Run(float(wall), float(user), float(system), int(peak_kib) * 1024, int(minor), int(major))


def in_turn(tools, found, snapshot, out, rounds, slow_rounds, say):
    """Runs all subjects once, then all once more, and so on, so that other load on the machine affects all of them."""
    results = [Result(subject) for subject in found]
    subprocess.run(["cat", snapshot], stdout=subprocess.DEVNULL, check=True)  # into the page cache
    for number in range(max(rounds, slow_rounds)):
        for result in results:
            if number < (slow_rounds if result.subject.is_slow else rounds):
                say(f"round {number + 1}: {result.subject.name}")
                result.runs.append(measure(tools, result.subject.argv(snapshot, out)))
    return results

"""Figures of memory that Liger-Kernel's repository publishes, against rehearsals of its own benchmarks: prints a table of
docs/rehearsal-truth.md.

    compare.py MEMVIZ REPOSITORY PYTHONS [SCRIPT...]

REPOSITORY is a clone of https://github.com/linkedin/Liger-Kernel, PYTHONS a folder with an environment for each version of
torch that benchmarks.json names (2.4.1/bin/python), each with triton and transformers. Packages are gigabytes, so this is
outside of CI. Ends with 1 if a figure is missing, or is more than 1 % away and has no cause in benchmarks.json.
"""

import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
MOST_DIFFERENCE = 0.01
COLUMNS = ("kernel_name", "kernel_operation_mode", "kernel_provider", "x_name", "x_value", "extra_benchmark_config_str", "gpu_name")


def published_figures(repository, commit):
    """Returns the MiB that were measured, by COLUMNS."""
    text = subprocess.run(["git", "-C", repository, "show", f"{commit}:benchmark/data/all_benchmark_data.csv"],
                          check=True, capture_output=True, text=True).stdout
    rows = csv.DictReader(io.StringIO(text))
    return {tuple(row[name] for name in COLUMNS): float(row["y_value_50"]) for row in rows if row["metric_name"] == "memory"}


def unpack(repository, commit, folder):
    listed = subprocess.run(["git", "-C", repository, "ls-tree", "--name-only", commit, "test/"], check=True, capture_output=True, text=True)
    tests = [name for name in listed.stdout.splitlines() if name != "test/resources"]  # some scripts compare with those of a test
    archive = subprocess.Popen(["git", "-C", repository, "archive", commit, "src", "benchmark/scripts", *tests], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", folder], stdin=archive.stdout, check=True)
    if archive.wait():
        sys.exit(f"{repository} has no commit {commit}")


def rehearse(memviz, repository, python, benchmark):
    """Returns what liger.py measured."""
    with tempfile.TemporaryDirectory() as scratch:
        unpack(repository, benchmark["commit"], scratch)
        output = pathlib.Path(scratch, "figures.json")
        command = [memviz, "rehearse", "--quiet", "--no-record", "--no-init", "--values=on", "--gpu", benchmark["profile"]]
        command += ["-o", f"{scratch}/rehearsal", "--", python, "-B", FOLDER / "liger.py", output, scratch, benchmark["script"]]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode:
            print(run.stdout.decode(errors="replace")[-2000:], file=sys.stderr)
        if not output.exists():
            return []
        return json.loads(output.read_text())


class Row:
    """The figures of one provider in one mode of a benchmark."""

    def __init__(self, benchmark, figures, published):
        self.benchmark = benchmark
        self.pairs = []
        for figure in figures:
            key = tuple({**figure, "gpu_name": benchmark["gpu"]}[name] for name in COLUMNS)
            if key in published and "mib" in figure:
                self.pairs.append((figure["x_value"], published[key], figure["mib"]))
            elif key in published:
                print(f"{key}: {figure['error']}", file=sys.stderr)
        self.name = ", ".join(figures[0][name] for name in COLUMNS[:3]) + f", by {figures[0]['x_name']}"

    def most(self):
        return max((rehearsed / measured - 1 for _, measured, rehearsed in self.pairs), key=abs, default=0)

    def text(self):
        figures = "; ".join(f"{x}: {measured:,.2f}" + ("" if measured == rehearsed else f" ({rehearsed:,.2f})")
                            for x, measured, rehearsed in self.pairs)
        benchmark, most = self.benchmark, self.most()
        versions = f"{benchmark['commit']}, {benchmark['torch']}"
        difference = "equal" if not most else f"{most:+.2%}" if abs(most) >= 0.00005 else "below 0.01 %"
        if abs(most) > MOST_DIFFERENCE and "cause" in benchmark:
            difference += f", {benchmark['cause']}"
        return f"| {self.name} | {benchmark['gpu']} | {versions} | {figures} | {difference} |"


def rows_of(benchmark, figures, published):
    groups = {}
    for figure in figures:
        groups.setdefault(tuple(figure[name] for name in COLUMNS if name not in ("x_value", "gpu_name")), []).append(figure)
    return [row for row in (Row(benchmark, group, published) for group in groups.values()) if row.pairs]


def main():
    memviz, repository, pythons, *scripts = sys.argv[1:]
    memviz = os.path.abspath(memviz)
    listed = json.loads((FOLDER / "benchmarks.json").read_text())
    published = published_figures(repository, listed["commit"])
    print("| benchmark | GPU | commit, torch | MiB published (rehearsed) | most |\n|---|---|---|---|---|")
    pairs, is_right = [], True
    for benchmark in listed["benchmarks"]:
        if scripts and benchmark["script"] not in scripts:
            continue
        python = pathlib.Path(pythons, benchmark["torch"], "bin/python")
        rows = rows_of(benchmark, rehearse(memviz, repository, python, benchmark), published)
        for row in rows:
            print(row.text(), flush=True)
            pairs += row.pairs
        is_right &= sum(len(row.pairs) for row in rows) == benchmark["figures"]
        is_right &= "cause" in benchmark or all(abs(row.most()) <= MOST_DIFFERENCE for row in rows)
    equal = sum(measured == rehearsed for _, measured, rehearsed in pairs)
    near = sum(abs(rehearsed / measured - 1) <= MOST_DIFFERENCE for _, measured, rehearsed in pairs)
    print(f"\n{len(pairs)} figures: {equal} equal, {near} within 1 %")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())

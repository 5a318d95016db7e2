"""The table of memory in the README of apple/ml-cross-entropy, against a rehearsal of the benchmark that it names: prints a table of
docs/rehearsal-truth.md.

    cross_entropy.py MEMVIZ REPOSITORY PYTHON

REPOSITORY is a clone of https://github.com/apple/ml-cross-entropy, PYTHON has torch 2.4.1, triton, pandas, fire and tqdm. The
benchmark takes its data from Gemma 2 (2B); here they are random, in the same shapes. Outside of CI: the packages are gigabytes.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile
import types

COMMIT = "af5f96a"  # the one that added the table
PUBLISHED = {
    ("cce", "loss-fw"): 1.1,
    ("torch_compile", "loss-fw"): 4000.1,
    ("baseline", "loss-fw"): 24000.0,
    ("cce", "loss-bw"): 1163.0,
    ("torch_compile", "loss-bw"): 12000.0,
    ("baseline", "loss-bw"): 16000.0,
    ("cce", "loss-fw-bw"): 1164.0,
    ("torch_compile", "loss-fw-bw"): 16000.1,
    ("baseline", "loss-fw-bw"): 28000.0,
}


def random_data(dtype):
    """Returns what the benchmark makes of Gemma 2 (2B) and 8,192 tokens."""
    import torch

    embedding, classifier = (torch.randn(rows, 2304, device="cuda", dtype=dtype) for rows in (8192, 256000))
    targets = torch.randint(0, 256000, (8192,), device="cuda")
    return types.SimpleNamespace(embedding=embedding, classifier=classifier, targets=targets, softcap=30.0)


def measure(folder, output):
    """Runs the repository's benchmark."""
    sys.path.insert(0, folder)
    data = types.ModuleType("benchmark.data")
    data.generator = lambda name: random_data
    sys.modules["benchmark.data"] = data
    from benchmark.__main__ import benchmark

    benchmark(n_iteration=1, output=output)


def rehearse(memviz, repository, python):
    """Returns the MiB of each method and kind."""
    with tempfile.TemporaryDirectory() as scratch:
        archive = subprocess.Popen(["git", "-C", repository, "archive", COMMIT, "benchmark", "cut_cross_entropy"], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", scratch], stdin=archive.stdout, check=True)
        output = pathlib.Path(scratch, "figures.csv")
        command = [memviz, "rehearse", "--quiet", "--no-record", "--values=on", "--gpu", "a100-80", "-o", f"{scratch}/rehearsal"]
        run = subprocess.run([*command, "--", python, "-B", __file__, scratch, output], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if not output.exists():
            sys.exit(run.stdout.decode(errors="replace")[-2000:])
        with output.open() as lines:
            return {(row["method"], row["kind"]): float(row["op_mem_mb"]) for row in csv.DictReader(lines)}


def main():
    rehearsed = rehearse(*sys.argv[1:])
    print("| method | what | MiB published | rehearsed | |\n|---|---|---|---|---|")
    for key, published in PUBLISHED.items():
        difference = round(rehearsed[key], 1) / published - 1
        print(f"| {key[0]} | {key[1]} | {published:,.1f} | {rehearsed[key]:,.1f} | {f'{difference:+.2%}' if difference else 'equal'} |")


if __name__ == "__main__":
    measure(*sys.argv[1:]) if len(sys.argv) == 3 else main()

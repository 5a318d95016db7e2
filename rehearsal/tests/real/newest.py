"""Rehearses small programs with the newest PyTorch and the packages that people use with it, from PyPI, to find what a new version
breaks.

    newest.py MEMVIZ FOLDER [PAIR...]

Each pair of a package and the PyTorch that pip chooses for it has an environment in FOLDER, removed afterwards: 6 to 12 GB at a time. Prints a table
row for each program: versions, peak, and what went wrong. Ends with 1 if a program fails or a version lacks something
that memviz replaces (rehearsal/hook/README.md). By hand, and monthly in .github/workflows/newest.yml.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from keepers import OF_RANKS, ONE_RANK, PROGRAMS

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {
    **PROGRAMS,
    "GPT-2": ["../programs/train.py", "--batch", "2"],
    "masks": ["../programs/masks.py"],
    "Megatron, distributed optimizer": ["jobs/megatron_gpt.py", "1", "1"],
}
# The packages that pip installs, and the programs.
PAIRS = {
    "transformers": (["torch", "transformers"], ["GPT-2", "masks", "torch.compile", "DDP", "fully_shard"]),
    "accelerate": (["torch", "transformers", "accelerate"], ["transformers Trainer", "accelerate, FSDP 2"]),
    "deepspeed": (["torch", "deepspeed"], ["DeepSpeed, ZeRO 3"]),
    "megatron": (["torch", "megatron-core"], ["Megatron, distributed optimizer"]),
    "trl": (["torch", "trl", "peft"], ["trl, SFT", "LoRA by peft"]),
    "vllm": (["vllm"], ["vLLM"]),
}
MISSING = re.compile(r"Part of the recording failed, and the program continued: (.*?)(?=\n  - |\n\n|$)", re.S)


def install(folder, packages):
    """Returns the new environment's Python."""
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    python = folder / "bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", "setuptools", *packages], check=True)
    return python


def versions(python, packages):
    program = "import importlib.metadata as m, sys; print(*(f'{name} {m.version(name)}' for name in sys.argv[1:]), sep=', ')"
    names = dict.fromkeys(["torch", *packages])
    return subprocess.run([python, "-c", program, *names], check=True, capture_output=True, text=True).stdout.strip()


def rehearse(memviz, python, name):
    """Returns the peak, and what went wrong."""
    program, *words = PROGRAMS[name]
    program = HERE / program
    environment = dict(os.environ, HF_HUB_OFFLINE="1", PYTHONPATH=str(program.parent))
    environment["PATH"] = f"{python.parent}{os.pathsep}{environment['PATH']}"  # for ninja
    if any(word in name for word in (*OF_RANKS, "Megatron")):
        environment.update(ONE_RANK, MASTER_PORT=str(20000 + os.getpid() % 10000))
    with tempfile.TemporaryDirectory() as scratch:
        command = [memviz, "rehearse", "--quiet", "--no-record", "--json", "report.json", "--", python, "-B", program, *words]
        run = subprocess.run(command, cwd=scratch, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800)
        output = run.stdout.decode(errors="replace")
        report = pathlib.Path(scratch, "report.json")
        verdict = json.loads(report.read_text())["verdict"] if report.exists() else {"outcome": "failed", "text": ""}
    faults = [" ".join(text.split()) for text in MISSING.findall(verdict["text"])]
    if run.returncode or verdict["outcome"] != "fits":
        errors = [line.strip() for line in output.splitlines() if "Error" in line]
        faults.append(f"exit code {run.returncode}: {(errors or ['no error'])[-1][:300]}")
        print(output[-4000:], file=sys.stderr)
    peak = max((device["peak_bytes"] for device in verdict.get("devices", ())), default=0)
    return f"{peak / 2**20:,.0f} MiB", faults


def main():
    memviz, folder, *names = sys.argv[1:]
    memviz, folder = os.path.abspath(memviz), pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    is_right = True
    print("| program | versions | peak | |\n|---|---|---|---|", flush=True)
    for name in names or PAIRS:
        packages, programs = PAIRS[name]
        environment = folder / name
        try:
            python = install(environment, packages)
            installed = versions(python, packages)
            for program in programs:
                peak, faults = rehearse(memviz, python, program)
                is_right &= not faults
                print(f"| {program} | {installed} | {peak} | {'; '.join(faults)} |", flush=True)
        except subprocess.SubprocessError as error:
            is_right = False
            print(f"| - | {', '.join(packages)} | - | {error} |", flush=True)
        finally:
            shutil.rmtree(environment, ignore_errors=True)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())

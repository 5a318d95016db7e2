"""Figures of memory in the logs of nanoGPT speed-runs on 8 H100s, against rehearsals of the code that each log contains: prints
a table of docs/rehearsal-truth.md.

    speedruns.py MEMVIZ REPOSITORY PYTHONS [LOG...]

REPOSITORY is a clone of https://github.com/KellerJordan/modded-nanogpt, PYTHONS a folder with an environment for each version of
torch in LOGS (2.8.0/bin/python), each with triton and numpy. The code runs as rank 0 of 8; it trains ITERATIONS steps after
its own warm-up, on tokens that are generated here. Compiling takes minutes, so this is outside of CI.
"""

import array
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ITERATIONS = 4
TOKENS = 11_000_000  # more than one validation reads
END_OF_TEXT = 50256
# A log of records/, and the version of torch that takes the place of the nightly build that it names.
LOGS = {
    "track_1_short/2025-02-01_RuleTweak/eff63a8c-2f7e-4fc5-97ce-7f600dae0bc7.txt": "2.7.1",
    "track_1_short/2025-05-24_StableTorch/89d9f224-3b01-4581-966e-358d692335e0.txt": "2.8.0",
    "track_1_short/2025-05-25_EvenFasterReduce/6ae86d05-5cb2-4e40-a512-63246fd08e45.txt": "2.8.0",
    "track_1_short/2025-07-13_UpgradeTorch190/692f80e0-5e64-4819-97d4-0dc83b7106b9.txt": "2.9.0",
}
# The code of some logs gives its operators wrong strides, which the nightly builds did not check and their releases do.
ENVIRONMENT = {"TORCHINDUCTOR_SIZE_ASSERTS": "0"}
FIGURES = re.compile(r"^peak memory (?:consumption|allocated): (\d+) MiB(?: reserved: (\d+) MiB)?$", re.MULTILINE)


def figures_of(log):
    """Returns the allocated and the reserved MiB that a log ends with; older ones have no reserved."""
    found = FIGURES.findall(log)
    return [int(figure) for figure in found[-1] if figure] if found else []


def write_tokens(folder):
    """Writes a file of tokens for training and one for validation, with a document of about 800 tokens after the other."""
    folder.mkdir(parents=True)
    header = array.array("i", [20240520, 1, TOKENS] + [0] * 253)
    tokens = array.array("H", random.Random(1).randbytes(2 * TOKENS))
    tokens = array.array("H", (END_OF_TEXT if token >= 65456 else token % END_OF_TEXT for token in tokens))
    for name in ("fineweb_train_000001.bin", "fineweb_val_000000.bin"):
        (folder / name).write_bytes(header.tobytes() + tokens.tobytes())


def rehearse(memviz, python, code, scratch):
    """Returns what the program itself reports, or the end of what it printed."""
    (scratch / "train.py").write_text(code)
    command = [memviz, "rehearse", "--quiet", "--no-record", "--no-init", "--values=off", "--world", "8", "--rank", "0", "--gpu", "h100-80"]
    command += ["-o", "rehearsal", "--", python, "-B", "train.py"]
    run = subprocess.run(command, cwd=scratch, env=os.environ | ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    logs = sorted((scratch / "logs").glob("*.txt"), key=lambda path: path.stat().st_mtime)
    return (figures_of(logs[-1].read_text()) if logs else []) or run.stdout.decode(errors="replace")[-2000:]


def row(name, log, torch, rehearsed):
    published = figures_of(log)
    said = re.search(r"(?<=PyTorch )2\.\S+", log.split("=" * 100)[1])
    name = name.split("/")[1] + ", " + name.split("/")[-1][:8]
    if isinstance(rehearsed, str):
        return f"| {name} | {said.group()}, {torch} | {published} | failed |\n{rehearsed}"
    pairs = [f"{there:,} ({here:,}, {here / there - 1:+.2%})" for there, here in zip(published, rehearsed)]
    return f"| {name} | {said.group()}, {torch} | {pairs[0]} | {pairs[1] if len(pairs) > 1 else '-'} |"


def main():
    memviz, repository, pythons, *names = sys.argv[1:]
    memviz, pythons = pathlib.Path(memviz).resolve(), pathlib.Path(pythons).resolve()
    print("| log | torch published, here | MiB allocated published (rehearsed) | MiB reserved |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as data:
        write_tokens(pathlib.Path(data, "fineweb10B"))
        for name, torch in LOGS.items():
            if names and not any(part in name for part in names):
                continue
            log = subprocess.run(["git", "-C", repository, "show", f"HEAD:records/{name}"], check=True, capture_output=True, text=True).stdout
            code, count = re.subn(r"(num_iterations\s*(?::\s*int)?\s*=\s*)\d+", rf"\g<1>{ITERATIONS}", log.split("=" * 100)[0])
            if count != 1:
                sys.exit(f"{name}: {count} lines set the number of iterations")
            with tempfile.TemporaryDirectory() as scratch:
                pathlib.Path(scratch, "data").symlink_to(data)
                rehearsed = rehearse(memviz, pathlib.Path(pythons, f"{torch}/bin/python"), code, pathlib.Path(scratch))
            print(row(name, log, torch, rehearsed), flush=True)


if __name__ == "__main__":
    main()

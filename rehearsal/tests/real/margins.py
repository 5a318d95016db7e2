"""Rehearses small programs on several GPUs, with little more memory than they take, and compares the answers with the range of what
is not measured on each GPU: "fits" may only be said where more than that is left.

    margins.py MEMVIZ PYTHON [PROGRAM...]

PYTHON has torch. Each program runs once on all GPUs (--gpu A,B,... --jobs 2), and then on one of them, in turn, with each of
MARGINS more memory than its peak there (--memory). The range is computed here from the profile's file: docs/rehearse.md,
"A margin". 390 runs, so this is outside of CI; rehearsal/tests/unit/fit_margins_test.cpp has
all profiles without a program. Ends with 1 where an answer is wrong.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROFILES = HERE.parents[1] / "gpu/profiles"
MIB = 1 << 20
GPUS = ("b200", "h200", "h100-80", "a100-40", "rtx-4090", "l4", "rtx-3090", "t4")  # for which PyTorch 2.13 has kernels
MARGINS = (0, 10, 100, 300, 700)  # MiB
PROGRAMS = (
    "opt_adamw opt_adamw_fused opt_adamw_loop opt_sgd opt_adafactor opt_rmsprop opt_adagrad opt_nadam opt_radam opt_muon opt_lbfgs "
    "gpt_fp32 gpt_bf16 gpt_checkpointed gpt_pure_bf16 encoder graphs_whole functional matmuls embeddings embedding_dense scatters losses "
    "nested rnn_gru rnn_lstm linalg_cholesky linalg_inv linalg_svd ffts"
).split()
# Handles of libraries (docs/rehearse.md, "The context"), above the 132 MiB of two of cuBLAS, which a small training has.
LIBRARY_MIB = dict.fromkeys(("linalg_cholesky", "linalg_inv", "linalg_svd"), 66 + 96 - 132)


def profile_of(gpu):
    lines = (line.split("#")[0].split("=") for line in (PROFILES / f"{gpu}.profile").read_text().splitlines())
    return {line[0].strip(): line[1].strip() for line in lines if len(line) == 2}


def least_range(profile, program, has_drivers):
    """Returns the bytes that other drivers, the context, kernels and libraries may take in addition to what is counted."""
    total = int(profile["total_bytes"])
    drivers = total - int(profile.get("least_total_bytes", total)) if has_drivers else 0
    libraries = LIBRARY_MIB.get(program, 0) * MIB
    return drivers + libraries + (4 * MIB if "kernels_bytes" in profile else 244 * MIB + int(profile["context_bytes"]) // 2)


def rehearse(memviz, python, program, options):
    """Returns the verdicts of the GPUs, by the names of their profiles."""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch, "report.json")
        command = [memviz, "rehearse", "--quiet", "--no-record", "--no-init", "--values=off", "-o", f"{scratch}/rehearsal", "--json", report, *options]
        command += ["--", python, "-B", HERE / "h100/program.py", program, f"{scratch}/figures.json"]
        run = subprocess.run(command, env=dict(os.environ, HF_HUB_OFFLINE="1"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if not report.exists():
            return {"": {"outcome": "failed", "text": run.stdout.decode(errors="replace")[-400:]}}
        verdicts = [run["verdict"] for run in json.loads(report.read_text())["runs"]]
        return {verdict["gpu"]["profile"]: verdict for verdict in verdicts}


def fault(verdict, expected_range):
    """Returns what is wrong with an answer, or ""."""
    if verdict["outcome"] != "fits":
        return f"{verdict['outcome']}: {verdict['text']}"
    left = min(device["left_bytes"] for device in verdict["devices"])
    stated = verdict["uncounted_bytes_at_most"]
    if stated != expected_range:
        return f"states a range of {stated / MIB:.1f} MiB, not {expected_range / MIB:.1f}"
    if verdict["is_sure"] != (left >= stated):
        return f"{'sure' if verdict['is_sure'] else 'not sure'} with {left / MIB:.1f} MiB left of a range of {stated / MIB:.1f}"
    said = verdict["text"].split(" on ")[0]
    return "" if said == ("Fits" if verdict["is_sure"] else "May fit") else f"says {said}"


class Counts:
    def __init__(self):
        self.answers, self.sure, self.faults = 0, 0, []

    def add(self, name, verdict, expected_range):
        self.answers += 1
        self.sure += bool(verdict.get("is_sure"))
        if wrong := fault(verdict, expected_range):
            self.faults.append(f"{name}: {wrong}")
            print(self.faults[-1], flush=True)


def main():
    memviz, python, *names = sys.argv[1:]
    profiles = {gpu: profile_of(gpu) for gpu in GPUS}
    on_gpus, with_margins = Counts(), Counts()
    for index, program in enumerate(names or PROGRAMS):
        verdicts = rehearse(memviz, python, program, ["--gpu", ",".join(GPUS), "--jobs", "2"])
        for gpu, profile in profiles.items():
            verdict = verdicts.get(gpu, {"outcome": "failed", "text": str(verdicts.get("", ""))})
            on_gpus.add(f"{program} on {gpu}", verdict, least_range(profile, program, True))
        gpu = GPUS[index % len(GPUS)]
        peak = max((device["peak_bytes"] for device in verdicts.get(gpu, {}).get("devices", ())), default=0)
        for margin in MARGINS if peak else ():
            alone = rehearse(memviz, python, program, ["--gpu", gpu, "--memory", str(peak + margin * MIB)])
            verdict = alone.get(gpu, {"outcome": "failed", "text": str(alone.get("", ""))})
            with_margins.add(f"{program} on {gpu} with {margin} MiB", verdict, least_range(profiles[gpu], program, False))
        print(f"{program}: {peak / MIB:,.0f} MiB on {gpu}; {len(on_gpus.faults) + len(with_margins.faults)} faults", flush=True)
    for counts, where in ((on_gpus, "with all memory"), (with_margins, "with little more than the peak")):
        print(f"{counts.answers} answers {where}: {counts.sure} sure, {len(counts.faults)} wrong")
    return bool(on_gpus.faults or with_margins.faults)


if __name__ == "__main__":
    sys.exit(main())

"""Figures of memory that pages of documentation publish, against rehearsals: prints a table of docs/rehearsal-truth.md.

    pages.py MEMVIZ PYTHON [NAME...]

PYTHON has torch, transformers and accelerate, for the rows of torchao (vit) torch 2.6.0, timm and torchao 0.7, for those of CogVideoX
(video) torch 2.5.1, diffusers 0.32.1 and transformers 4.47.1. Outside of CI: the packages are gigabytes.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
GIB = 1024
MIB = 1 << 20
# The context and PyTorch's kernels, as nvidia-smi showed them before the model was on the GPU.
BERT_CONTEXT = 1343
# Program, what was published, in MiB, without that, as it was published, and the GPU.
FIGURES = (
    ("bert", 14949 - BERT_CONTEXT, "14,949 MB", "v100-16"),
    ("bert_accumulated", 8681 - BERT_CONTEXT, "8,681 MB", "v100-16"),
    ("bert_checkpointed", 6775 - BERT_CONTEXT, "6,775 MB", "v100-16"),
    ("bert_fp16", 13939 - BERT_CONTEXT, "13,939 MB", "v100-16"),
    ("bert_fp16_checkpointed", 7275 - BERT_CONTEXT, "7,275 MB", "v100-16"),
    ("bert_adafactor", 12295 - BERT_CONTEXT, "12,295 MB", "v100-16"),
    ("bert_all", 4847 - BERT_CONTEXT, "4,847 MB", "v100-16"),
    ("octocoder", 29.0260648727417 * GIB, "29.0260648727417 GiB", "a100-80"),
    # Measured on an RTX 4070 Ti SUPER, which has the compute capability and the memory of this profile.
    ("vit", 9820e6 / MIB, "9.82 GB", "rtx-4080"),
    ("vit_offload", 5240e6 / MIB, "5.24 GB", "rtx-4080"),
    ("vit_offload_gradients", 4010e6 / MIB, "4.01 GB", "rtx-4080"),
    # The GPU is not said.
    ("video_loaded", 19.66 * GIB, "19.66 GiB", "a100-80"),
    ("video", 24.426 * GIB, "24.426 GiB", "a100-80"),
)


def rehearse(memviz, python, name, gpu):
    """Returns the MiB of page_programs.py, or the end of what it printed."""
    with tempfile.TemporaryDirectory() as scratch:
        output = pathlib.Path(scratch, "figure.json")
        command = [memviz, "rehearse", "--quiet", "--no-record", "--no-init", "--values=off", "--gpu", gpu, "-o", f"{scratch}/rehearsal"]
        command += ["--", python, "-B", FOLDER / "page_programs.py", name, output]
        run = subprocess.run(command, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return json.loads(output.read_text())["mib"] if output.exists() else run.stdout.decode(errors="replace")[-2000:]


def main():
    memviz, python, *names = sys.argv[1:]
    memviz = str(pathlib.Path(memviz).resolve())
    print("| program | GPU | published | MiB of PyTorch (rehearsed) | |\n|---|---|---|---|---|")
    for name, published, words, gpu in FIGURES:
        if names and name not in names:
            continue
        rehearsed = rehearse(memviz, python, name, gpu)
        if isinstance(rehearsed, str):
            print(f"| {name} | {gpu} | {words} | {published:,.0f} | failed |\n{rehearsed}", flush=True)
            continue
        print(f"| {name} | {gpu} | {words} | {published:,.0f} ({rehearsed:,.0f}) | {rehearsed / published - 1:+.2%} |", flush=True)


if __name__ == "__main__":
    main()

"""The memory of torchtitan's published benchmark of December 2024, rehearsed: prints a table of docs/rehearsal-truth.md.

    torchtitan_rows.py MEMVIZ PYTHON [ROW...]

PYTHON has torch 2.6.0, triton 3.2.0, torchao 0.7.0, torchdata, datasets, tiktoken, blobfile, tabulate, tensorboard and
tomli. The code is in ../shared/probes/world: without that folder nothing is run. Ends with 1 where a row ends
with an error, or is more than 0.5 % away from what was published, and has no cause in the table below.
"""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROBE = pathlib.Path(__file__).resolve().parents[4] / "shared/probes/world"
MOST_DIFFERENCE = 0.005
COMPILED = "--training.compile"
FLOAT8 = (
    "--float8.enable_float8_linear --float8.enable_fsdp_float8_all_gather "
    "--float8.precompute_float8_dynamic_scale_for_fsdp"
)
FULL = "--activation_checkpoint.mode full"
ASYNC = "--experimental.enable_async_tensor_parallel"
GENERAL = (
    "--model.tokenizer_path tokenizer.model --training.dataset c4_test --training.steps 3 --metrics.log_freq 1 "
    "--metrics.disable_color_printing --profiling.profile_freq 100000"
)
# The run script of the repository sets it. Tables 2 and 6 are reproduced only with it, the others only without it.
EXPANDABLE = "expandable_segments:True"


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    gpus: int
    words: str
    published: float  # GiB reserved
    allocator: str = ""  # PYTORCH_CUDA_ALLOC_CONF
    ranks: str = "0"
    cause: str = ""  # of a difference


def _fsdp(name, gpus, published, words=""):
    return Row(name, gpus, f"llama3_8b --training.batch_size 2 {words}", published)


def _context(degree, tokens, published):
    words = f"llama3_8b --training.batch_size 1 --training.seq_len {tokens} {COMPILED} {FLOAT8} {FULL}"
    words += f" --experimental.context_parallel_degree {degree}"
    return Row(f"8b-cp{degree}", 8, words, published, EXPANDABLE)


def _large(name, published, words=""):
    words = f"llama3_70b --training.batch_size 16 {COMPILED} {FLOAT8} {FULL} --training.tensor_parallel_degree 8 {words}"
    return Row(name, 256, words, published)


def _largest(name, published, words, allocator="", ranks="0", cause=""):
    """The published figure is the highest of all stages: with 1F1B the first has most microbatches in flight."""
    words = f"llama3_405b --experimental.pipeline_parallel_degree 8 {words}"
    return Row(name, 512, words, published, allocator, ranks, cause)


def _largest_context(degree, tokens, published):
    words = "--training.batch_size 8 --experimental.pipeline_parallel_schedule 1F1B"
    words += f" --training.seq_len {tokens} --experimental.context_parallel_degree {degree}"
    return _largest(f"405b-cp{degree}", published, words, EXPANDABLE)


ROWS = [
    _fsdp("8b", 8, 82.4),
    _fsdp("8b-compile", 8, 77.0, COMPILED),
    _fsdp("8b-float8", 8, 76.8, f"{COMPILED} {FLOAT8}"),
    _context(1, 32768, 83.9),
    _context(2, 65536, 84.2),
    _context(4, 131072, 84.0),
    _context(8, 262144, 84.5),
    _fsdp("8b-128", 128, 67.0),
    _fsdp("8b-128-compile", 128, 62.0, COMPILED),
    _fsdp("8b-128-float8", 128, 61.8, f"{COMPILED} {FLOAT8}"),
    _large("70b", 71.9),
    _large("70b-async", 67.6, ASYNC),
    _largest("405b-1f1b", 82.5, "--training.batch_size 32 --experimental.pipeline_parallel_schedule 1F1B"),
    _largest(
        "405b-interleaved",
        72.7,
        "--training.batch_size 32 --experimental.pipeline_parallel_schedule Interleaved1F1B",
        ranks="+".join(str(64 * stage) for stage in range(8)),
        cause="unknown, +1.47 % on 2026-11-25",
    ),
    _largest_context(1, 32768, 75.3),
    _largest_context(2, 65536, 75.9),
    _largest_context(4, 131072, 77.1),
    _largest_context(8, 262144, 84.9),
]


def unpack(folder):
    archive = next((PROBE / "torchtitan").glob("*.tar.zst"))
    subprocess.run(["tar", "--zstd", "-xf", archive, "-C", folder], check=True)
    subprocess.run([sys.executable, PROBE / "make_inputs.py", folder], check=True)


def rehearse(memviz, python, source, row):
    """Returns the highest reserved bytes of the row's ranks in GiB, or the reason why there is none."""
    config, *words = row.words.split()
    with tempfile.TemporaryDirectory() as scratch:
        answer = pathlib.Path(scratch) / "answer.json"
        command = [memviz, "rehearse", "--world", str(row.gpus), "--rank", row.ranks, "--memory", "95GiB"]
        command += ["--no-record", "-o", f"{scratch}/snapshots", "--json", answer, "--", python, "train.py"]
        command += ["--job.config_file", f"train_configs/{config}.toml", *GENERAL.split(), *words]
        environment = dict(os.environ, OMP_NUM_THREADS="1", HF_HUB_OFFLINE="1", TORCHINDUCTOR_CACHE_DIR=scratch)
        environment["PYTORCH_CUDA_ALLOC_CONF"] = row.allocator
        run = subprocess.run(command, cwd=source, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = run.stdout.decode(errors="replace").splitlines()
        if run.returncode:
            errors = [line for line in output if "Error" in line]
            return None, f"ends: {(errors or output or ['no output'])[-1].strip()[:200]}"
        runs = json.loads(answer.read_text())["runs"]
        return max(use["peak_reserved_bytes"] for one in runs for use in one["verdict"]["devices"]) / 2**30, row.cause


def main():
    memviz, python, *names = sys.argv[1:]
    if not PROBE.is_dir():
        print("skipped: no ../shared")
        return 0
    memviz, python = os.path.abspath(memviz), os.path.abspath(python)
    is_right = True
    print("| row | GPUs | ranks rehearsed | published | rehearsed | difference | |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as source:
        unpack(source)
        for row in ROWS:
            if names and row.name not in names:
                continue
            measured, cause = rehearse(memviz, python, source, row)
            difference = measured / row.published - 1 if measured else 0
            is_right = is_right and (bool(measured) and abs(difference) <= MOST_DIFFERENCE or bool(row.cause))
            figures = f"{measured:.2f} | {difference:+.2%}" if measured else "- | -"
            print(f"| {row.name} | {row.gpus} | {row.ranks} | {row.published} | {figures} | {cause} |", flush=True)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())

"""Prints a table of docs/rehearsal-truth.md: estimators of training memory, compared with recordings from GPUs.

    training_estimators.py MEMVIZ PYTHON REPOSITORIES [NAME...]

PYTHON has torch, einops, einx, jaxtyping, accelerate and deepspeed. REPOSITORIES has a checkout of each repository of
PROGRAMS, in a folder of its owner's name. The recorded figures are those of docs/rehearsal-truth.md. Outside of CI.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import time

TRUTH = pathlib.Path(__file__).resolve().parents[3] / "docs/rehearsal-truth.md"
GIB = 1 << 30
FORWARD, STEP = "forward", "training step"


@dataclasses.dataclass(frozen=True)
class Program:
    recording: str  # as docs/rehearsal-truth.md names it
    folder: str  # of the script, in REPOSITORIES
    words: str
    kind: str


def _nvtx(recording, context, precision):
    words = f"benchmark_nvtx.py --model-size xl --context-length {context} --batch-size 4 --mode full_step --warmup-steps 5"
    words += f" --measurement-steps 1 --mixed-precision {precision} --profile-memory --memory-snapshot rehearsed.pickle"
    return Program(recording, "LINYUNLinYun/cs336_systems", words, STEP)


def _basic(recording, words, kind=FORWARD):
    words = f"basic_lm_memory_profile.py --size_name large {words} --save_path snapshot"
    return Program(recording, "Hyperion-shuo/cs336_systems", words, kind)


PROGRAMS = [
    Program("vanilla_ce_snapshot", "mryab/week06_dl_arithmetic/seminar/cross_entropy", "profile_vanilla_ce.py", STEP),
    Program("profile_grad", "shreyansh26/model_memory_usage", "profile_grad.py", FORWARD),
    Program("profile_no_grad", "shreyansh26/model_memory_usage", "profile_no_grad.py", FORWARD),
    Program("memory_snapshot (--mode forward)", "Charan6924/cs336_systems", "benchmark.py --mode forward", FORWARD),
    _basic("large_cl128_fw", "--context_length 128 --stage fw"),
    _basic("large_cl512_fw_bf16", "--context_length 512 --stage fw --mixed_precision"),
    _basic("large_cl512_fw_with_grad", "--context_length 512 --stage fw_with_grad"),
    Program("medium_training_ctx128_amp0", "Wuyh11/cs336_systems", "profile_memory.py", STEP),
    _nvtx("xl_ctx128_full_step_none", 128, "none"),
    _nvtx("xl_ctx512_full_step_bf16", 512, "bf16"),
]


def recorded(name):
    """The profile of the GPU, the reserved and the peak requested bytes of a recording in docs/rehearsal-truth.md."""
    for line in TRUTH.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) > 5 and cells[1] == name:
            profile = {"8.0": "a100-80", "9.0": "h100-80"}[cells[3]]
            return profile, *(int(cell.replace(",", "")) for cell in cells[4:6])
    raise SystemExit(f"{TRUTH} has no recording {name}")


def child(python, folder, *words):
    environment = {**os.environ, "PYTHONPATH": str(folder.parent / "cs336-basics")}
    return subprocess.run([python, *words], cwd=folder, env=environment, capture_output=True, text=True)


def rehearsed(memviz, python, profile, folder, words):
    """The reserved bytes and the peak of requested bytes that the program's recording has, and the seconds."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as output:
        command = [memviz, "rehearse", "--no-init", "--gpu", profile, "--quiet", "--output", output, "--", python]
        result = child(command[0], folder, *command[1:], *words)
        seconds = time.monotonic() - start
        written = [path for path in folder.rglob("*.p*k*l*") if path.stat().st_mtime >= time.time() - seconds - 1]
        if result.returncode != 0 or len(written) != 1:
            raise SystemExit(f"{' '.join(words)}: exit code {result.returncode}, {written}\n{result.stderr[-2000:]}")
        stats = subprocess.run([memviz, "stats", "--quiet", "--json", "-", written[0]], capture_output=True, check=True)
        device = json.loads(stats.stdout)["devices"][0]
        return device["reserved_bytes"], device["peak_requested_bytes"], seconds


def estimated(memviz, python, profile, folder, words):
    """The answers of tracked() and the seconds. A backward pass of fake tensors needs a GPU, so it has the made-up one."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as output:
        answer = pathlib.Path(output, "answer.json")
        command = ["rehearse", "--no-record", "--gpu", profile, "--quiet", "--output", output, "--", python, __file__]
        result = child(memviz, folder, *command, "--track", answer, *words)
        seconds = time.monotonic() - start
        if answer.exists():
            return json.loads(answer.read_text()), seconds
    errors = [line for line in result.stderr.splitlines() if "Error" in line or "Exception" in line]
    return {"tracker": errors[0] if errors else f"exit code {result.returncode}"}, seconds


def skip_values():
    """Leaves weights as they are and reads numbers as 0: what depends on values fails with fake tensors."""
    import torch
    from torch._subclasses.fake_impls import op_implementations_dict

    op_implementations_dict[torch.ops.aten._local_scalar_dense.default] = lambda *_: 0

    for name in ("trunc_normal_", "normal_", "uniform_", "kaiming_uniform_", "xavier_uniform_", "xavier_normal_"):
        setattr(torch.nn.init, name, lambda tensor, *_, **__: tensor)


def make_batches_on_device():
    """Replaces the batches of these repositories, which are cut out at positions that a tensor holds."""
    import torch

    with contextlib.suppress(ImportError):
        from cs336_basics import data

        def get_batch(_, batch_size, context_length, device):
            return tuple(torch.zeros(batch_size, context_length, dtype=torch.int64, device=device) for _ in "xy")

        data.get_batch = get_batch


def forget_modules_between_calls(tracker):
    """Resets the statistics of modules before an outermost one is called again, which MemTracker refuses else."""
    from torch.nn.modules import module

    open_calls, outermost = [], set()

    def enter(called, _):
        if not open_calls and called in outermost:
            tracker.reset_mod_stats()
            outermost.clear()
        if not open_calls:
            outermost.add(called)
        open_calls.append(called)

    module.register_module_forward_pre_hook(enter)
    module.register_module_forward_hook(lambda *_: open_calls.pop() and None, always_call=True)


def watch_models(seen):
    """Lets models of fake tensors move to a device, which torch refuses, and adds each to a list, with the time."""
    import torch

    def moved(model, device):
        parameters = {}
        for module in model.modules():
            for name, parameter in module._parameters.items():
                if parameter is not None:
                    new = parameters.setdefault(parameter, torch.nn.Parameter(parameter.detach().to(device)))
                    module._parameters[name] = new.requires_grad_(parameter.requires_grad)
            for name, buffer in module._buffers.items():
                module._buffers[name] = None if buffer is None else buffer.to(device)
        seen.append((model, time.monotonic()))
        return model

    torch.nn.Module.to = moved


def formulas(model):
    """The bytes that the formulas of accelerate and DeepSpeed give for a model on one GPU."""
    from accelerate.commands.estimate import estimate_training_usage
    from accelerate.utils import calculate_maximum_sizes
    from deepspeed.runtime.zero.stage3 import estimate_zero3_model_states_mem_needs
    from deepspeed.runtime.zero.stage_1_and_2 import estimate_zero2_model_states_mem_needs

    total, _ = calculate_maximum_sizes(model)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    layers = [sum(p.numel() for p in module.parameters(recurse=False)) for module in model.modules()]
    return {
        "accelerate forward": total,
        "accelerate training step": max(estimate_training_usage(total, "float32").values()),
        "zero2": estimate_zero2_model_states_mem_needs(parameters, 1, 1, False, 1.5)[1],
        "zero3": estimate_zero3_model_states_mem_needs(parameters, max(layers), 1, 1, False, False, True, 1.5)[1],
    }


def tracked(output, script, words):
    """Writes what MemTracker says of a script whose tensors are all fake, and what formulas say of its model."""
    start = time.monotonic()
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.distributed._tools.mem_tracker import MemTracker

    skip_values()
    make_batches_on_device()
    sys.argv = [script, *words]
    sys.path.insert(0, "")
    tracker, seen = MemTracker(), []
    forget_modules_between_calls(tracker)
    watch_models(seen)
    with FakeTensorMode(allow_non_fake_inputs=True), tracker, contextlib.suppress(SystemExit):
        runpy.run_path(script, run_name="__main__")
    peaks = [figures["Total"] for device, figures in tracker.get_tracker_snapshot("peak").items() if device.type == "cuda"]
    answer = {"tracker": max(peaks)}
    if seen:
        answer |= formulas(seen[0][0]) | {"built_s": seen[0][1] - start}
    pathlib.Path(output).write_text(json.dumps(answer))


def cell(figure, truth):
    if not isinstance(figure, int):
        return figure
    return f"{figure / GIB:.2f} " + ("equal" if figure == truth else f"({figure / truth - 1:+.2%})")


def print_row(memviz, python, repositories, program):
    folder = repositories / program.folder
    words = program.words.split()
    profile, reserved, peak = recorded(program.recording)
    rehearsed_reserved, rehearsed_peak, rehearsed_s = rehearsed(memviz, python, profile, folder, words)
    answer, tracked_s = estimated(memviz, python, profile, folder, words)
    step = program.kind == STEP
    cells = [
        f"{program.folder.partition('/')[0]}, {program.recording}",
        f"{peak / GIB:.2f}",
        f"{cell(rehearsed_peak, peak)}, {rehearsed_s:.0f} s",
        f"{cell(answer['tracker'], peak)}, {tracked_s:.0f} s",
        cell(answer.get(f"accelerate {program.kind}", "-"), peak),
        cell(answer.get("zero2", "-"), peak) if step else "-",
        cell(answer.get("zero3", "-"), peak) if step else "-",
        f"{reserved / GIB:.2f}",
        cell(rehearsed_reserved, reserved),
    ]
    print("| " + " | ".join(cells) + " |", flush=True)
    print(program.recording, answer, file=sys.stderr)


def main():
    if sys.argv[1] == "--track":
        return tracked(sys.argv[2], sys.argv[3], sys.argv[4:])
    memviz, python, repositories = (pathlib.Path(word).absolute() for word in sys.argv[1:4])
    for program in PROGRAMS:
        if not sys.argv[4:] or program.recording in sys.argv[4:]:
            print_row(memviz, python, repositories, program)


main()

"""Steps of run.sh that take a Python with torch, each in a separate process.

usage: steps.py STEP MEMVIZ OUT_FOLDER [WHEEL]

Exit status 77: left out, and the last line says why. Figures go to OUT_FOLDER/figures.json, a line of JSON each.
"""

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LEFT_OUT = 77
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs.py"

# Requests more with each step, until it is too much.
TOO_MUCH = """
import torch
kept = []
while True:
    kept.append(torch.ones(64 << 20, device="cuda"))
"""


def leave_out(why):
    print(why, flush=True)
    sys.exit(LEFT_OUT)


def check(condition, *facts):
    if not condition:
        sys.exit("\n".join(map(str, facts)))


class Steps:
    def __init__(self, memviz, out, wheel):
        self.memviz = memviz
        self.out = pathlib.Path(out)
        self.wheel = wheel
        try:
            import torch
        except Exception as error:  # whatever is wrong with it
            leave_out(f"no torch: {type(error).__name__}: {error}")
        if not torch.cuda.is_available():
            leave_out("torch finds no CUDA device")
        self.torch = torch

    def ran(self, *words, **environment):
        return subprocess.run(
            [str(word) for word in words], cwd=self.out, env={**os.environ, **environment}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def figure(self, name, value, unit):
        with open(self.out / "figures.json", "a") as file:
            file.write(json.dumps({"name": name, "value": value, "unit": unit}) + "\n")

    def device_in_python(self):
        """What the results are about, where the tests of LibTorch did not say it."""
        torch, path = self.torch, self.out / "device.json"
        if not path.exists():
            is_rehearsed = hasattr(ctypes.CDLL(None), "memviz_rehearsal_profile")
            name = torch.cuda.get_device_name() + (" (memviz rehearsal)" if is_rehearsed else "")
            facts = {"device": name, "devices": torch.cuda.device_count(),
                     "torch": torch.__version__, "cuda": torch.version.cuda}
            path.write_text(json.dumps(facts) + "\n")

    def malloc_async(self):
        """An allocator without history: one line says so, and the program's error is unchanged."""
        done = self.ran(self.memviz, "run", "--dir", "run_async", "--", sys.executable, "-c", TOO_MUCH,
                        PYTORCH_CUDA_ALLOC_CONF="backend:cudaMallocAsync")
        check("OutOfMemoryError" in done.stderr, done.stderr)
        check(done.stderr.count("memviz: ") == 1 and "is not recorded" in done.stderr, done.stderr)
        check(not (self.out / "run_async").exists(), "it left a file")

    def memviz_record(self):
        """MEMVIZ_RECORD=1 in an environment that has the wheel."""
        if not self.wheel:
            leave_out("no wheel")
        with tempfile.TemporaryDirectory() as folder:
            self.check_wheel(pathlib.Path(folder))

    def check_wheel(self, folder):
        made = self.ran(sys.executable, "-m", "venv", "--system-site-packages", folder)
        if made.returncode != 0:
            leave_out(f"no virtual environment: {(made.stdout + made.stderr).strip().splitlines()[-1]}")
        python = folder / "bin" / "python"
        # Returns the packages of the environment that this Python belongs to.
        (found,) = folder.glob("lib/python3*/site-packages")
        (found / "outer.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")) + "\n")
        pip = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
        check((done := self.ran(*pip, self.wheel)).returncode == 0, done.stdout, done.stderr)
        done = self.ran(python, "-c", TOO_MUCH, MEMVIZ_RECORD="1", MEMVIZ_RECORD_DIR=str(folder / "recorded"))
        check(" ran out of GPU memory." in done.stderr and "OutOfMemoryError" in done.stderr, done.stderr)
        check(len(list((folder / "recorded").glob("oom-*.pickle"))) == 1, done.stderr)

    def overhead(self):
        """Of a training step under `memviz run`."""
        runs = {"plain": [], "recorded": [self.memviz, "run", "--"], "python_only": [self.memviz, "run", "--python-only", "--"]}
        for name, run in runs.items():
            times = []
            for _ in range(3):
                done = self.ran(*run, sys.executable, PROGRAMS, "step_time")
                check(done.returncode == 0, done.stderr)
                times.append(json.loads(done.stdout.splitlines()[-1])["us_a_step"])
            self.figure(f"step.{name}", min(times), "us")

    def rehearsed(self):
        """Three programs here, and rehearsed on a made-up GPU with this one's properties: the same to the byte."""
        profile = self.profile()
        different = []
        for name in ("mlp", "transformer", "convolutions"):
            done = self.ran(sys.executable, PROGRAMS, name)
            check(done.returncode == 0, done.stderr)
            here = json.loads(done.stdout.splitlines()[-1])
            rehearse = [self.memviz, "rehearse", "--quiet", "--no-record", "-o", self.out / "rehearsal", "--gpu", profile]
            done = self.ran(*rehearse, "--", sys.executable, PROGRAMS, name)
            lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
            check(lines, f"{name}: rehearse ended with {done.returncode}", done.stdout, done.stderr)
            there = json.loads(lines[0])
            for what, value in here.items():
                unit = "bytes" if what.endswith("bytes") else "times"
                self.figure(f"{name}.{what}", value, unit)
                self.figure(f"{name}.rehearsed_{what}", there[what], unit)
                if there[what] != value:
                    different.append(f"{name}: {what}: {value} here, {there[what]} rehearsed ({there[what] - value:+d})")
        print("\n".join(different) or "the same in everything", flush=True)
        check(not different, f"{len(different)} figures differ")

    def profile(self):
        """Returns a profile of this device: one of memviz's profiles, with what torch reports about the device."""
        torch = self.torch
        base = PROGRAMS.parents[2] / "rehearsal" / "gpu" / "profiles" / "h100-80.profile"
        lines = (line.partition("#")[0].partition("=") for line in base.read_text().splitlines())
        facts = {key.strip(): value.strip() for key, _, value in lines if key.strip()}
        device = torch.cuda.get_device_properties(0)
        torch.ones(1, device="cuda")
        free, total = torch.cuda.mem_get_info()
        facts.pop("kernels_bytes", None)  # the context below contains it
        facts.update(
            device=device.name, compute_capability=f"{device.major}.{device.minor}",
            multiprocessors=device.multi_processor_count, total_bytes=total,
            # Others may hold memory as well; allocations of programs do not depend on that as long as they fit.
            context_bytes=total - free - torch.cuda.memory_reserved(),
        )
        for key, name in {"threads_per_multiprocessor": "max_threads_per_multi_processor",
                          "shared_bytes_per_multiprocessor": "shared_memory_per_multiprocessor",
                          "shared_bytes_per_block": "shared_memory_per_block_optin", "l2_cache_bytes": "L2_cache_size",
                          "memory_bus_bits": "memory_bus_width"}.items():
            facts[key] = getattr(device, name, facts[key])
        path = self.out / "this.profile"
        path.write_text("".join(f"{key} = {value}\n" for key, value in facts.items()))
        return path


def main():
    step, memviz, out, *wheel = sys.argv[1:]
    getattr(Steps(os.path.abspath(memviz), os.path.abspath(out), *(wheel or [None])), step)()


main()

#!/usr/bin/env python3
"""Runs torch_program.py on the made-up GPU: run_torch.py FOLDER PYTHON. FOLDER is the library's, PYTHON has PyTorch."""
import os
import pathlib
import subprocess
import sys
import tempfile

folder, python = os.path.abspath(sys.argv[1]), sys.argv[2]
program = str(pathlib.Path(__file__).with_name("torch_program.py"))
environment = {
    **os.environ,
    "LD_PRELOAD": f"{folder}/libmemviz_rehearsal.so",
    "LD_LIBRARY_PATH": folder,
    "MEMVIZ_REHEARSAL_GPU": "a100-80",
    "MEMVIZ_REHEARSAL_DEVICES": "2",
    "OMP_NUM_THREADS": "1",
}
environment.pop("PYTORCH_CUDA_ALLOC_CONF", None)
torchrun = [python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
runs = [
    ([python, program, "one"], {}),
    ([python, program, "expandable"], {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}),
    ([python, program, "attention"], {"MEMVIZ_REHEARSAL_GPU": "h100-80"}),
    ([python, program, "attention"], {"MEMVIZ_REHEARSAL_GPU": "b200"}),
    ([*torchrun, program, "ranks"], {}),
]
failed = 0
with tempfile.TemporaryDirectory() as scratch:
    for number, (command, extra) in enumerate(runs):
        report = {"MEMVIZ_REHEARSAL_REPORT": f"{scratch}/report{number}.jsonl"}
        result = subprocess.run(command, env={**environment, **extra, **report}, timeout=600, check=False)
        failed += result.returncode != 0
sys.exit(1 if failed else 0)

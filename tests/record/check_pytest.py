#!/usr/bin/env python3
"""The pytest plugin with the real PyTorch, on the made-up GPU: check_pytest.py MEMVIZ [-n 2]

With a Python that has torch, pytest and, for -n, pytest-xdist.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from checks import check

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TESTS = """
import pytest
import torch

MIB = 1 << 20
kept = []

def allocated(size):
    return torch.empty(size, dtype=torch.uint8, device="cuda")

@pytest.fixture
def model():
    return torch.nn.Linear(2048, 2048, device="cuda")

def step(model):
    model(torch.ones(1024, 2048, device="cuda")).sum().backward()

@pytest.mark.gpu_leaks("16.1MiB")  # the gradients, and neither the weights nor the workspaces of cuBLAS
def test_within(model):
    step(model)

@pytest.mark.gpu_leaks("15MiB")
def test_leaks_gradients(model):
    step(model)

@pytest.mark.gpu_leaks("1MiB")
def test_leaks():
    kept.append(allocated(3 * MIB))

@pytest.fixture
def workspaces(model):
    torch._C._cuda_clearCublasWorkspaces()  # of earlier tests, also those of autograd's thread
    model(torch.ones(1024, 2048, device="cuda"))

@pytest.mark.gpu_leaks("1MiB")
def test_leaks_beside_new_workspaces(model, workspaces):
    kept.append(allocated(6 * MIB))
    torch._C._cuda_clearCublasWorkspaces()
    model(torch.ones(1024, 2048, device="cuda"))

@pytest.mark.limit_gpu_memory("1GiB")
def test_below(model):
    step(model)

@pytest.mark.limit_gpu_memory("1GiB")
def test_above():
    first = allocated(600 * MIB)
    second = allocated(500 * MIB)

@pytest.mark.limit_gpu_memory("79GiB")
def test_runs_out():
    allocated(100 << 30)
"""
SENTENCES = (
    r"The test allocated 1\.\d\d GiB of GPU 0 at once, more than its limit of 1\.00 GiB\. It is held by these lines: 1\.0\d GiB by allocated test_memory\.py:9",
    r"The test left 3\.00 MiB of GPU 0 allocated, more than its limit of 1\.00 MiB\. It is held by these lines: 3\.00 MiB by allocated test_memory\.py:9\. "
    r"3\.00 MiB of it is kept by `kept` \(list of 1\), a global of test_memory\.",
    r"The test left 6\.00 MiB of GPU 0 allocated, more than its limit of 1\.00 MiB\. It is held by these lines: 6\.00 MiB by allocated test_memory\.py:9\. ",
    r"The test left 16\.01 MiB of GPU 0 allocated, more than its limit of 15\.00 MiB\. It is held by these lines: 16\.00 MiB by .*Backward.* "
    r"16\.01 MiB of it is kept by the fixture `model`\.",
    r"torch\.OutOfMemoryError: CUDA out of memory",
)


def check_rehearsed(memviz, folder, *words):
    environment = {**os.environ, "MEMVIZ_PROGRAM": memviz, "PYTHONPATH": str(SOURCE / "python")}
    command = [sys.executable, "-B", "-m", "pytest", "-p", "memviz_torch.pytest_plugin", "-p", "no:cacheprovider", "-rA", *words, "test_memory.py"]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    outcomes = dict(reversed(found) for found in re.findall(r"^(PASSED|FAILED|ERROR) test_memory\.py::(\w+)", done.stdout, re.M))
    passed = {name for name, outcome in outcomes.items() if outcome == "PASSED"}
    check(done.returncode == 1 and len(outcomes) == 7 and passed == {"test_within", "test_below"}, done.stdout)
    for sentence in SENTENCES:
        check(re.search(sentence, done.stdout), sentence, done.stdout)
    kept = sorted(path.name for path in (folder / "memviz-pytest").glob("*.svg"))
    check(kept == [f"test_memory.py_test_{name}.svg" for name in ("above", "leaks", "leaks_beside_new_workspaces", "leaks_gradients", "runs_out")], kept)


def main():
    memviz, *words = [os.path.abspath(sys.argv[1]), "--rehearse", "h100", *sys.argv[2:]]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "test_memory.py").write_text(TESTS)
        check_rehearsed(memviz, folder, *words)
    print(f"pytest {' '.join(words)} is right", flush=True)


main()

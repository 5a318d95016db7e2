#!/usr/bin/env python3
"""The pytest plugin, run by pytest itself, on a made-up GPU that does nothing, with a stub of PyTorch.

usage: pytest_plugin_test.py MEMVIZ SOURCE_FOLDER
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "support"), str(ROOT / "schemas")]
from environment import ENVIRONMENT  # noqa: E402

ENVIRONMENT.enter("pytest", "xdist")

from expectations import expect, finish  # noqa: E402

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
TESTS = """
import os, pytest, torch

@pytest.fixture
def model():
    yield torch.allocate(40 << 20)

@pytest.mark.limit_gpu_memory("100MiB")
def test_within():
    torch.release(torch.allocate(90 << 20))

@pytest.mark.limit_gpu_memory("100MiB")
def test_above():
    torch.release(torch.allocate(110 << 20))

@pytest.mark.limit_gpu_memory("100MiB")
def test_above_with_its_fixture(model):
    torch.release(torch.allocate(70 << 20))

@pytest.mark.gpu_leaks("1MiB")
def test_leaks():
    torch.allocate(3 << 20)

@pytest.mark.gpu_leaks
def test_leaks_nothing(model):
    torch.release(torch.allocate(3 << 20))

@pytest.mark.limit_gpu_memory("100MiB")
def test_runs_out():
    torch.allocate(1 << 40)

@pytest.mark.limit_gpu_memory("1MiB")
def test_skips():
    pytest.skip("not here")

def test_without_limits():
    torch.allocate(200 << 20)
"""
ODD = """
import os, pytest, torch, unittest, warnings

class OfUnittest(unittest.TestCase):
    @pytest.mark.limit_gpu_memory("100MiB")
    def test_above(self):
        torch.release(torch.allocate(110 << 20))

    @pytest.mark.limit_gpu_memory("1B")
    def test_skips(self):
        torch.release(torch.allocate(110 << 20))
        self.skipTest("not here")

    @pytest.mark.limit_gpu_memory("100MiB")
    def test_above_in_parts(self):
        for size in (50, 110):
            with self.subTest(size=size):
                torch.release(torch.allocate(size << 20))

@pytest.mark.limit_gpu_memory("100MiB")
@pytest.mark.xfail
def test_expected():
    torch.release(torch.allocate(110 << 20))

@pytest.mark.gpu_leaks("1MiB")
def test_fails_and_leaks():
    torch.allocate(3 << 20)
    assert False

@pytest.mark.gpu_leaks(size="100MiB")
def test_leaks_little():
    torch.allocate(3 << 20)

@pytest.mark.limit_gpu_memory(size="100MiB")
@pytest.mark.parametrize("word", ["a/b", "a b", "x" * 300])
def test_goes_away(word, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.release(torch.allocate(110 << 20))

@pytest.mark.limit_gpu_memory("100MiB")
def test_warns():
    warnings.warn("its own")
"""
STARTS_ANOTHER = """
import os, subprocess, sys

def test_dies(tmp_path):
    (tmp_path / "test_inner.py").write_text("def test_passes(): pass")
    subprocess.run([sys.executable, "-m", "pytest", "-p", "memviz_torch.pytest_plugin", tmp_path], check=True)
    os._exit(9)
"""
OUTCOMES = {
    "test_within": "PASSED",
    "test_above": "FAILED",
    "test_above_with_its_fixture": "FAILED",
    "test_leaks": "FAILED",
    "test_leaks_nothing": "PASSED",
    "test_runs_out": "FAILED",
    "test_skips": "SKIPPED",
    "test_without_limits": "PASSED",
}


def run(folder, *words, tests=TESTS, program=PROGRAM):
    (folder / "test_memory.py").write_text(tests)
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("MEMVIZ", "PYTEST"))},
        "MEMVIZ_PROGRAM": str(program),
        "MEMVIZ_REHEARSAL_DIR": str(PROGRAM.parent / "tests/rehearse/stub"),
        "PYTHONPATH": f"{SOURCE / 'python'}:{SOURCE / 'rehearsal/tests'}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "pytest", "-p", "memviz_torch.pytest_plugin", "-p", "no:cacheprovider", "-v", *words, "test_memory.py"]
    done = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def outcomes_in(text):
    """Returns the outcome of each test, also where xdist begins the line with its worker."""
    found = re.findall(r"^(?:\[gw\d\] \[ *\d+%\] )?(?:test_memory.py::(\w+) )?(PASSED|FAILED|SKIPPED)(?: test_memory.py::(\w+))?", text, re.M)
    return {before or after: outcome for before, outcome, after in found if before or after}


def check_limits(folder, *words):
    code, text = run(folder, *words)
    expect(f"outcomes of {words}: {text}", (code, outcomes_in(text)), (1, OUTCOMES))
    for sentence in (
        "The test allocated 110.00 MiB of GPU 0 at once, more than its limit of 100.00 MiB. It is held by these lines: 110.00 MiB by step train.py:12.",
        "The test left 3.00 MiB of GPU 0 allocated, more than its limit of 1.00 MiB.",
    ):
        expect(f"{words}: {sentence}: {text}", sentence in text, True)
    kept = sorted(path.name for path in (folder / "memviz-pytest").iterdir())
    expect(f"what {words} keeps", kept, [f"test_memory.py_{name}{end}" for name in ("test_above", "test_above_with_its_fixture", "test_leaks", "test_runs_out")
                                         for end in (".pickle", ".svg")])  # fmt: skip


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, words in enumerate([(), ("--rehearse", "small"), ("--rehearse", "small", "-n", "2")]):
            (folder / str(number)).mkdir()
            check_limits(folder / str(number), *words)
        code, text = run(folder, "--gpu-memory", "-k", "within or without")
        expect(f"the table: {text}", (code, re.findall(r"^ *(\S+ MiB) +(\S+ \S+) +0  test_memory.py::(\w+)", text, re.M)),
               (0, [("200.00 MiB", "200.00 MiB", "test_without_limits"), ("90.00 MiB", "0 B", "test_within")]))  # fmt: skip
        expect("a test that passes keeps nothing", (folder / "memviz-pytest").exists(), False)
        code, text = run(folder, "-W", "error:its own", tests=ODD)
        expect(f"odd tests: {text}", (code, re.findall(r"(\d+) (failed|passed|skipped)", text.splitlines()[-1])),
               (1, [("7", "failed"), ("1", "passed"), ("1", "skipped")]))  # fmt: skip
        expect(f"an expected failure: {text}", "1 xfailed" in text, True)
        expect(f"a failure is no leak: {text}", "The test left" in text, False)
        expect("each failed test is kept", len(list((folder / "memviz-pytest").glob("*.svg"))), 8)
        code, text = run(folder, "-k", "within", program="/bin/false")
        expect(f"a program that fails: {text}", (code, "memviz could not judge the test's memory" in text, "INTERNALERROR" in text), (1, True, False))
        code, text = run(folder, "-k", "within", tests=TESTS + "\ntorch.cuda.memory._record_memory_history()\ntorch.allocate(500 << 20)\n")
        expect(f"a history of before: {text}", (code, "1 test used no GPU" in text), (0, True))
        code, text = run(folder, "-k", "within", tests=TESTS.replace("100MiB", "100 MB of it"))
        expect(f"a size that is none: {text}", (code, "a size is a number of bytes, or text such as '12GiB'" in text), (1, True))
        code, text = run(folder, tests="import pytest\n@pytest.mark.limit_gpu_memory('1B')\ndef test_no_gpu(): pass\n")
        expect(f"no GPU: {text}", (code, "1 test used no GPU" in text), (0, True))
        (folder / "conftest.py").write_text(f"import sys\nsys.path.remove({str(SOURCE / 'rehearsal/tests')!r})\n")
        code, text = run(folder, "--gpu-memory", tests="def test_no_torch(): pass\n")
        expect(f"no torch: {text}", (code, "1 test used no GPU" in text), (0, True))
        (folder / "conftest.py").unlink()
        code, text = run(folder, "--rehearse", "small", tests="import os\ndef test_dies(): os._exit(9)\n")
        expect(f"a pytest that dies: {text}", code, 9)
        code, text = run(folder, "--rehearse", "small", tests=STARTS_ANOTHER)
        expect(f"a pytest that dies after a pytest of its test: {text}", code, 9)
    finish("the plugin does what docs/python.md says")


main()

"""Where recorded programs run in these tests, and those programs: with a module in place of torch
(rehearsal/tests/torch).
"""

import gc
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

MEMVIZ = os.path.abspath(sys.argv.pop(1))
SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
FAKE_TORCH = str(SOURCE / "rehearsal" / "tests")
PACKAGE = str(SOURCE / "python")
RANK_VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID")

# The stand-in has 1 GiB.
TOO_MUCH = "import torch\ntorch.allocate(100 << 20)\ntorch.allocate(2 << 30)\n"
FITS = "import torch\ntorch.allocate(100 << 20)\n"
CAUGHT = """
import torch
torch.allocate(1 << 20)
for _ in range({count}):
    try:
        torch.allocate(2 << 30)
    except torch.OutOfMemoryError:
        pass
print("went on")
"""


def without_collector(function):
    """Returns what it returns, so that what it leaves in cycles is still there."""
    gc.disable()
    try:
        return function()
    finally:
        gc.enable()


class Stage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.output = self.folder / "work" / "memviz-run"
        (self.folder / "work").mkdir()
        (self.folder / "tmp").mkdir()
        self.environment = dict(
            os.environ,
            PYTHONPATH=FAKE_TORCH,
            HOME=str(self.folder / "home"),
            TMPDIR=str(self.folder / "tmp"),
            PYTHONDONTWRITEBYTECODE="1",
        )
        for name in (*RANK_VARIABLES, "XDG_CACHE_HOME", "MEMVIZ_RECORD", "MEMVIZ_REHEARSAL_REPORT", "MEMVIZ_REHEARSAL_MEMORY"):
            self.environment.pop(name, None)

    def start(self, words, **environment):
        return subprocess.Popen(
            [str(word) for word in words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder / "work",
            env={**self.environment, **environment},
        )

    def done(self, words, **environment):
        process = self.start(words, **environment)
        process.out, process.err = process.communicate(timeout=120)
        return process

    def run_program(self, words, options=(), **environment):
        return self.done([MEMVIZ, "run", *options, "--", *words], **environment)

    def run_python(self, program, options=(), words=(), **environment):
        return self.run_program([sys.executable, *words, "-c", program], options, **environment)

    def script(self, text):
        path = self.folder / "work" / "program.py"
        path.write_text(text)
        return path

    def files(self, folder=None):
        return sorted((folder or self.output).glob("*")) if (folder or self.output).exists() else []

    def one_file(self, folder=None):
        (file,) = self.files(folder)
        return file


class RecordStage(Stage):
    """For programs that call memviz_torch.record()."""

    def setUp(self):
        super().setUp()
        self.environment.update(MEMVIZ_PROGRAM=MEMVIZ, PYTHONPATH=os.pathsep.join([PACKAGE, FAKE_TORCH]))

    def record(self, body, arguments="", before="", **environment):
        lines = "\n".join("    " + line for line in body.strip().splitlines())
        program = f"import torch, memviz_torch\n{before}\nwith memviz_torch.record({arguments}) as r:\n{lines}\n"
        program += "print(r.files)\n"
        return self.done([sys.executable, "-c", program], **environment)

    def pickles(self):
        return sorted((self.folder / "work").rglob("*.pickle"))

    def the_pickle(self):
        (file,) = self.pickles()
        return pickle.loads(file.read_bytes())

#!/usr/bin/env python3
"""Tries the installed wheel, with the Python that it is installed for: installed.py TESTDATA

Run outside of the source tree, in systems with nothing but Python 3.9 or newer.
"""

import os
import pathlib
import pickle
import platform
import subprocess
import sys
import tempfile
import unittest

TESTDATA = pathlib.Path(sys.argv[1])
os.environ.pop("MEMVIZ_PROGRAM", None)

import memviz_torch

OOM = TESTDATA / "oom.pickle"
CUDA = """
import ctypes
runtime = ctypes.CDLL("libcudart.so.12")
count, pointer = ctypes.c_int(), ctypes.c_void_p()
assert runtime.cudaGetDeviceCount(ctypes.byref(count)) == 0 and count.value == 1, count
assert runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(1 << 30)) == 0
assert runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(1 << 40)) == 2
ctypes.CDLL("libnccl.so.2"), ctypes.CDLL("libcublas.so.13")
print("made up")
"""


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)


class Installed(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name):
        return os.path.join(self.folder.name, name)

    def test_the_program_is_the_installed_one(self):
        program = pathlib.Path(memviz_torch.program())
        self.assertIn(program.parent.name, ("bin", "Scripts"))
        package = pathlib.Path(memviz_torch.__file__).resolve()
        self.assertIn(str(program.resolve().parent.parent), str(package))
        version = run(program, "--version").stdout.split()
        self.assertEqual(version[0], "memviz")
        self.assertEqual(run(sys.executable, "-m", "memviz_torch", "--version").stdout.split(), version)

    def test_the_distribution_has_the_programs_version_and_the_licences(self):
        from importlib.metadata import distribution

        installed = distribution("memviz-torch")
        self.assertEqual(run(memviz_torch.program(), "--version").stdout.split()[1], installed.version)
        self.assertEqual([one for one in installed.requires or () if "extra ==" not in one], [])
        self.assertLessEqual({"memviz-mcp", "memviz"}, {point.name for point in installed.entry_points})
        names = {file.name for file in installed.files}
        wanted = {"LICENSE", "py.typed"}
        if "MEMVIZ_TEST_FROM_SOURCE" not in os.environ:
            wanted.add("NOTICES")  # of the libraries that are in the program
        self.assertEqual(wanted - names, set())

    def test_flame_explain_and_compare_run(self):
        program = memviz_torch.program()
        done = run(program, "flame", OOM, "-o", self.file("mem.svg"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("</svg>", pathlib.Path(self.file("mem.svg")).read_text(encoding="utf-8"))
        self.assertIn("Fragmentation: 28.6 MiB was free", run(program, "explain", OOM).stdout)
        compared = run(program, "compare", TESTDATA / "before.pickle", TESTDATA / "after.pickle", "-o", self.file("diff.svg"))
        self.assertEqual(compared.returncode, 0)
        self.assertIn("requested at the end", compared.stdout)
        self.assertEqual(run(program, "flame", TESTDATA / "no.pickle", "-o", "-").returncode, 1)

    def test_view_writes_a_page_with_its_engine(self):
        done = run(memviz_torch.program(), "view", OOM, "-o", self.file("view.html"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(pathlib.Path(self.file("view.html")).stat().st_size, 1_000_000)

    def test_other_libraries_that_are_linked_work(self):
        program = memviz_torch.program()
        compressed = TESTDATA / "encodings"
        for file in sorted(compressed.iterdir()):
            if file.suffix in (".gz", ".zst"):
                self.assertEqual(run(program, "stats", file).returncode, 0, file)
        self.assertEqual(run(program, "report", OOM, "-o", self.file("report.sqlite")).returncode, 0)
        self.assertTrue(pathlib.Path(self.file("report.sqlite")).read_bytes().startswith(b"SQLite format 3"))
        archive = next((TESTDATA / "flops").rglob("*.pt2"), None)
        if archive:
            self.assertEqual(run(program, "flops", archive).returncode, 0)
        self.assertEqual(run(program, "flame", OOM, "--focus", "append_[a-z]+", "-o", "-").returncode, 0)

    def test_the_python_api_answers(self):
        with open(OOM, "rb") as file:
            snapshot = pickle.load(file)
        why = memviz_torch.explain(snapshot)
        self.assertEqual(why.verdict, "fragmentation")
        self.assertEqual(memviz_torch.explain(OOM).figures["devices"], why.figures["devices"])
        self.assertIn("</svg>", memviz_torch.flame(snapshot, at="peak").svg)
        self.assertIn("iframe", memviz_torch.state(OOM)._repr_html_())
        self.assertIn("</svg>", memviz_torch.timeline(OOM.read_bytes()).svg)
        self.assertTrue(memviz_torch.compare(snapshot, snapshot).figures["devices"])
        self.assertEqual(len(memviz_torch.leaks(TESTDATA / "leaks" / "cache.pickle").grows), 1)
        self.assertEqual(memviz_torch.stats(snapshot)["devices"][0]["device"], 0)
        with self.assertRaises(memviz_torch.UsageError):
            memviz_torch.flame(snapshot, at="never")

    @unittest.skipUnless(platform.machine() == "x86_64", "the made-up GPU is for x86-64")
    def test_rehearse_finds_the_made_up_gpu(self):
        words = [memviz_torch.program(), "rehearse", "--no-record", "-o", self.file("rehearsal"), "--", sys.executable, "-c", CUDA]
        done = run(*words)
        self.assertIn("made up", done.stdout + done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

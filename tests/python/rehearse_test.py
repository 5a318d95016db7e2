"""memviz_torch.rehearse() with a made-up GPU that does nothing, and a stub of PyTorch: rehearse_test.py MEMVIZ
SOURCE"""
import io
import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock
import warnings

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "python"))
os.environ["MEMVIZ_PROGRAM"] = str(PROGRAM)

import memviz_torch

STUB = PROGRAM.parent / "tests/rehearse/stub"
RANKS = """
import os, sys, torch
rank = int(os.environ.get("RANK", "0"))
torch.allocate((100 + 100 * (rank // 4) << 20), "activation")
print("the program's own", file=sys.stderr)
"""


@unittest.skipUnless(STUB.exists(), "skipped: no made-up GPU of the tests")
class Rehearsals(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.program = [sys.executable, "-c", RANKS]
        variables = {"MEMVIZ_REHEARSAL_DIR": str(STUB), "PYTHONPATH": str(SOURCE / "rehearsal/tests")}
        self.enterContext(unittest.mock.patch.dict(os.environ, variables))
        self.said = self.enterContext(unittest.mock.patch("sys.stderr", io.StringIO()))

    def rehearse(self, command=None, **options):
        return memviz_torch.rehearse(command or self.program, output=os.path.join(self.folder, "out"), **options)

    def test_a_program_has_one_run(self):
        found = self.rehearse(gpu="small")
        (run,) = found.runs
        self.assertEqual((run.gpu, run.rank, run.outcome, run.pytorch_bytes), ("small", None, "fits", 100 << 20))
        self.assertEqual(run.peak_bytes + run.left_bytes, run.total_bytes)
        self.assertTrue(found.fits and run.is_sure and found.text.startswith("Fits on Small GPU"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", memviz_torch.SnapshotWarning)
            self.assertEqual(memviz_torch.stats(run.files[0])["devices"][0]["device"], 0)
        self.assertIn("the program's own", self.said.getvalue())

    def test_values_that_decide_give_a_range(self):
        decides = ("import gc, sys, torch\nhook = next(one for one in gc.get_objects() if type(one).__name__ == 'Rehearsal')\ntorch.allocate(1 << 20)\n"
                   "hook.reads.knowledge = lambda: 'made up'\nhook.reads.count_caller()\nhook.reads.other_count = 1\n"
                   "torch.allocate((300 if sys.modules['memviz_rehearsal.journal'].SETTINGS['values'] == 'on' else 100) << 20)")
        peaks = {}
        for values in (None, "auto", True, False):
            (run,) = self.rehearse([sys.executable, "-c", decides], gpu="small", values=values).runs
            self.assertEqual(run.deciding_lines, ("<string>:5",))
            peaks[values] = (run.least_peak_bytes, run.peak_bytes)
        mib = 1 << 20
        self.assertEqual(peaks, {None: (102 * mib, 302 * mib), "auto": (102 * mib, 302 * mib), True: (None, 302 * mib),
                                 False: (None, 102 * mib)})

    def test_a_program_may_fit_where_little_is_left_and_not_all_was_measured(self):
        profile = os.path.join(self.folder, "my.profile")
        with open(profile, "w", encoding="ascii") as file:
            file.write("device = Mine\ntotal_bytes = 110000000\ncontext_bytes = 1048576\n")
        found = self.rehearse(gpu=profile)
        self.assertTrue(found.fits and not found.runs[0].is_sure)
        self.assertIn("may fit", str(found))

    def test_a_job_has_a_run_for_each_rank_and_gpu(self):
        found = self.rehearse(gpu=["h100-80", "small"], world=64, ranks=[0, [4, 8], 63], memory=None)
        self.assertEqual([(run.gpu, run.rank) for run in found.runs],
                         [(gpu, rank) for gpu in ("h100-80", "small") for rank in (0, 4, 8, 63)])
        self.assertEqual([run.fits for run in found.runs], [True] * 7 + [False])
        self.assertTrue(found.fits)
        self.assertIn("rank 63 of 64: fits", self.said.getvalue())
        lines = str(found).splitlines()
        self.assertEqual(lines[2].split(), ["rank", "GPU", "answer", "peak", "of", "which", "PyTorch", "left"])
        self.assertEqual(len(lines), 3 + 8)
        self.assertEqual(found._repr_html_().count("<tr>"), 9)

    def test_a_search_has_a_row_for_each_value_and_gpu(self):
        batch = "import sys, torch\ntorch.allocate(int(sys.argv[1]) * (100 << 20) // int(sys.argv[2]))"
        found = self.rehearse([sys.executable, "-c", batch, "{BATCH}", "{TP}"], gpu=["small", "h100-80"], quiet=True,
                              search={"BATCH": range(1, 33), "TP": [1, 2]})
        self.assertEqual([(row.point["gpu"], row.point["TP"], row.largest_sure) for row in found.rows],
                         [("h100-80", "1", 32), ("h100-80", "2", 32), ("small", "1", 10), ("small", "2", 20)])
        self.assertEqual((found.answer, found.fits), (found.rows[2], True))
        self.assertEqual((found.answer.run.point["BATCH"], found.answer.run.fits), ("10", True))
        self.assertTrue(found.answer.run.decides.startswith("step train.py"))
        self.assertEqual(str(found).splitlines()[2].split()[:4], ["TP", "BATCH", "rank", "GPU"])
        self.assertNotIn("{BATCH}", found.text)
        with self.assertRaisesRegex(memviz_torch.UsageError, "step of 1"):
            self.rehearse(search={"BATCH": range(1, 33, 2)})
        with self.assertRaisesRegex(memviz_torch.UsageError, "BATCH=9..1"):
            self.rehearse(search={"BATCH": "9..1"})

    def test_other_programs_have_their_part_of_the_gpu(self):
        line = f"{sys.executable} -c 'import torch; torch.allocate(600 << 20)'"
        take = [sys.executable, "-c", "import torch; torch.allocate(300 << 20)"]
        self.assertTrue(self.rehearse(take, gpu="small", share=line, quiet=True).fits)
        self.assertFalse(self.rehearse(take, gpu="small", share=[line, line], quiet=True).fits)

    def test_settings_are_rows_beside_the_program_as_it_is(self):
        program = [sys.executable, "-c", "import os, torch; torch.allocate(int(os.environ.get('MIB', '2000')) << 20)"]
        found = self.rehearse(program, gpu="small", compare_with=["MIB=5", "MIB=6"], levers=True, quiet=True)
        self.assertEqual([row.point["setting"] for row in found.rows[:3]], ["as it is", "MIB=5", "MIB=6"])
        self.assertEqual(([row.fits for row in found.rows], found.fits), ([False, True, True] + [False] * 4, False))
        self.assertEqual(len(self.rehearse(program, gpu="small", compare_with="MIB=5", quiet=True).rows), 2)

    def test_runs_at_once_are_the_same(self):
        program = [sys.executable, "-B", "-c", "import sys, torch; torch.allocate(int(sys.argv[1]) << 20)", "{}"]
        asked = [self.rehearse(program, gpu="small", search={"MIB": [5, 6]}, jobs=jobs, quiet=True) for jobs in (1, 2)]
        self.assertEqual([[run.peak_bytes >> 20 for run in found.runs] for found in asked], [[6, 7], [6, 7]])

    def test_a_server_has_its_figures(self):
        found = self.rehearse([sys.executable, "-m", "vllm", self.folder], gpu="h100-80", requests=1, quiet=True)
        server = found.runs[0].server
        self.assertEqual((server.name, server.version, server.has_started), ("vLLM", "0.19.0", True))
        self.assertEqual((server.cache_bytes, server.cache_tokens, server.requests), (750 << 20, 4096, 1))
        self.assertEqual(server.outside_model_bytes, server.outside_bytes)
        self.assertEqual(server.added[:2], ("--load-format dummy", "--skip-tokenizer-init"))
        given = self.rehearse([sys.executable, "-m", "vllm", self.folder], gpu="h100-80", requests=0, outside="1MiB")
        self.assertIsNone(given.runs[0].server.outside_model_bytes)
        self.assertIsNone(self.rehearse(gpu="small").runs[0].server)

    def test_a_program_that_fails_is_an_answer_and_a_wrong_option_an_error(self):
        found = self.rehearse(f"{sys.executable} -c 'raise SystemExit(2)'", quiet=True)
        self.assertEqual((found.runs[0].outcome, found.runs[0].exit_code, found.fits), ("failed", 2, False))
        self.assertIsNone(found.runs[0].peak_bytes)
        with self.assertRaisesRegex(memviz_torch.UsageError, "a job of 4 has the ranks 0 to 3"):
            self.rehearse(world=4, ranks=[4])
        with self.assertRaisesRegex(memviz_torch.UsageError, "no-such-program-at-all"):
            self.rehearse(["no-such-program-at-all"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

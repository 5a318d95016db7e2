#!/usr/bin/env python3
"""Does the benchmark run, and are its ratios those of what it measured? How large they are is no one's promise here.

usage: bench_test.py BUILD_FOLDER
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import report

BENCH = pathlib.Path(__file__).with_name("bench.py")


def bench(*options):
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, BENCH, "--build", BUILD, "--out", out, "--rounds", "1", "--slow-rounds", "1"]
        said = subprocess.run([*command, *options], capture_output=True, text=True)
        left = sorted(path.name for path in pathlib.Path(out).iterdir())
        written = pathlib.Path(out) / "bench.json"
        return said, left, json.loads(written.read_text()) if written.exists() else None


class Bench(unittest.TestCase):
    def test_compares_on_every_file(self):
        said, left, figures = bench("20000")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(said.stderr, "")
        self.assertEqual(left, ["bench.json"])  # the snapshots are gone
        files = [(run["file"]["shape"], run["file"]["writer"]) for run in figures["runs"]]
        self.assertEqual(files, [("own", "python"), ("own", "python"), ("shared", "python"), ("own", "cpp")])
        for run in figures["runs"]:
            rows = {row["key"]: row for row in run["figures"]}
            self.assertLessEqual({"opcodes", "decode1", "flame1", "stats", "pickle"}, rows.keys())
            for row in rows.values():
                self.assertGreater(row["median_s"], 0)
                self.assertGreater(row["peak_bytes"], 0)
                self.assertAlmostEqual(row["to_opcode_pass"] * rows["opcodes"]["median_s"], row["median_s"])
                self.assertIn(row["name"], said.stdout)

    def test_measures_growth(self):
        said, _, figures = bench("--linear", "26000", "36000")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual([run["file"]["events"] for run in figures["runs"]], [26000, 36000])
        keys = [row["key"] for row in figures["runs"][0]["figures"]]
        self.assertEqual(keys, ["opcodes", "decode1", "flame1", "stats"])
        self.assertIn("(1.00x)", said.stdout)

    def test_a_program_that_fails_ends_it(self):
        with tempfile.TemporaryDirectory() as empty:
            said = subprocess.run([sys.executable, BENCH, "20", "--build", empty, "--out", empty], capture_output=True)
            self.assertEqual(said.returncode, 1)
            self.assertTrue(said.stderr.startswith(b"memviz: "), said.stderr)
            self.assertEqual(list(pathlib.Path(empty).iterdir()), [])

    def test_goals_are_judged_in_their_direction(self):
        rows = [
            {"key": key, "median_s": seconds, "peak_to_file": peak}
            for key, seconds, peak in [
                ("opcodes", 1, 1.0),
                ("decode1", 1.9, 0.9),
                ("decode2", 1.5, 0.9),
                ("flame1", 2, 1.1),
                ("pickle", 40, 5),
            ]
        ]
        found = {goal["what"]: (round(goal["measured"], 2), goal["is_reached"]) for goal in report.goals(rows)}
        self.assertEqual(
            found,
            {
                "decode, times the bare pass": (1.9, True),
                "decode, faster than `pickle.load`": (21.05, False),
                "decode, two threads faster than one": (1.27, False),
                "peak memory of decode, times the file": (0.9, True),
                "peak memory of `flame`, times the file": (1.1, False),
            },
        )


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1])

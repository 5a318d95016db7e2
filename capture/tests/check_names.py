"""Checks that recordings of memviz_example_record have the names of the model's tensors, and that memviz shows them.

usage: check_names.py PROGRAM MEMVIZ REHEARSAL_FOLDER
Runs on the made-up GPU.
"""

import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MEMVIZ, REHEARSAL = sys.argv[1:]
# Two layers, 256 -> 1024 -> 256, in float32.
BYTES = {"0.weight": 1 << 20, "0.bias": 4096, "2.weight": 1 << 20, "2.bias": 1024}


class Names(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "snapshot.pickle"
        library = pathlib.Path(REHEARSAL) / "libmemviz_rehearsal.so"
        environment = {**os.environ, "LD_PRELOAD": str(library), "LD_LIBRARY_PATH": REHEARSAL}
        subprocess.run([PROGRAM, self.file], check=True, env=environment)
        self.snapshot = pickle.loads(self.file.read_bytes())

    def test_are_those_of_parameters_and_gradients_with_their_bytes(self):
        rows = self.snapshot["memviz_recorder"]["tensors"]
        found = sorted((kind, name, size, device) for device, _, size, kind, name in rows)
        self.assertEqual(found, sorted((kind, name, size, 0) for kind in ("gradient", "parameter") for name, size in BYTES.items()))

    def test_belong_to_blocks_in_use(self):
        blocks = {block["address"]: block for segment in self.snapshot["segments"] for block in segment["blocks"]}
        for _, address, size, _, _ in self.snapshot["memviz_recorder"]["tensors"]:
            self.assertEqual((blocks[address]["state"], blocks[address]["requested_size"]), ("active_allocated", size))

    def test_are_read_by_memviz(self):
        done = subprocess.run([MEMVIZ, "report", "--json", "-", self.file], check=True, capture_output=True, text=True)
        weights = {one["name"]: (one["size_bytes"], one["gradient_bytes"]) for one in json.loads(done.stdout)["weights"]}
        self.assertEqual(weights, {name: (size, size) for name, size in BYTES.items()})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""When a rank that waits for another one gives up: world_waits_test.py MEMVIZ SOURCE_FOLDER"""

import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv[2]) / "rehearsal/hook"))
from memviz_rehearsal.job import world as world_module


class RanksThatWait(unittest.TestCase):
    """Rank 0 of three that meet."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.environ["RANK"] = "0"
        settings = {"ranks": 8, "present": [0, 1, 2], "most_present": 16, "meeting": folder.name}
        self.world = world_module.World(settings, lambda *_, **__: None)
        self.keys = set()

    def mark(self, name, text=""):
        pathlib.Path(self.world.marker(name)).write_text(text)

    def wait(self, rank, key, since=1.0):
        self.mark(f"waiting-{rank}", json.dumps({"since": since, "for": [["store"], key]}))

    def others_rest(self):
        return self.world.others_rest(lambda place, key: key in self.keys)

    def test_all_others_wait_for_keys_that_are_not_set(self):
        self.wait(1, "a")
        self.wait(2, "b")
        self.assertTrue(self.others_rest())

    def test_one_goes_on(self):
        self.wait(1, "a")
        self.assertFalse(self.others_rest())

    def test_an_ended_one_sets_nothing_more(self):
        self.wait(1, "a")
        self.mark("ended-2")
        self.assertTrue(self.others_rest())

    def test_one_has_its_key_and_has_not_looked_yet(self):
        self.wait(1, "a")
        self.wait(2, "b")
        self.keys.add("a")
        self.assertFalse(self.others_rest())

    def test_one_goes_on_between_two_looks_and_waits_again(self):
        self.wait(1, "a")
        self.wait(2, "b")

        def is_set(place, key):
            if key == "b":
                self.wait(2, "b", since=2.0)
            return False

        self.assertFalse(self.world.others_rest(is_set))

    def test_a_half_written_marker_is_of_one_that_goes_on(self):
        self.wait(1, "a")
        self.mark("waiting-2", '{"since": 1')
        self.assertFalse(self.others_rest())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

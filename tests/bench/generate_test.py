#!/usr/bin/env python3
"""Are the benchmark's snapshots what PyTorch would have written? CPython's own pickle is the judge.

usage: generate_test.py FOLDER_OF_THE_BENCHMARK_PROGRAMS MEMVIZ
"""

import collections
import io
import json
import pathlib
import pickle
import pickletools
import subprocess
import sys
import tempfile
import unittest

import generate

EVENTS = 36_000  # three periods


def opcodes(data):
    return collections.Counter(opcode.name for opcode, _, _ in pickletools.genops(data))


def objects(value):
    """Returns the number of each dict and list in the order of a walk: the same for two values that share objects in
    the same way."""
    numbers, walk, waiting = {}, [], [value]
    while waiting:
        item = waiting.pop()
        is_new = id(item) not in numbers
        walk.append(numbers.setdefault(id(item), len(numbers)))
        if is_new:
            parts = item.values() if isinstance(item, dict) else item
            waiting.extend(part for part in parts if isinstance(part, (dict, list)))
    return walk


class Snapshots(unittest.TestCase):
    """The same for every shape: SHAPE."""

    SHAPE = None

    @classmethod
    def setUpClass(cls):
        if cls.SHAPE is None:
            raise unittest.SkipTest("a base")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.data, cls.value, cls.path = {}, {}, {}
        for writer in ("python", "cpp"):
            file = io.BytesIO()
            cls.events = generate.write(file, events=EVENTS, shape=cls.SHAPE, writer=writer)
            cls.data[writer], cls.path[writer] = file.getvalue(), pathlib.Path(cls.folder.name, writer)
            cls.path[writer].write_bytes(cls.data[writer])
            cls.value[writer] = pickle.loads(cls.data[writer])

    def test_cpython_writes_the_same_bytes(self):
        # Loading keeps the identity of objects, so writing them again reproduces every reference.
        self.assertTrue(pickle.dumps(self.value["python"], protocol=4) == self.data["python"])

    def test_writers_agree(self):
        self.assertTrue(self.value["cpp"] == self.value["python"])
        self.assertTrue(objects(self.value["cpp"]) == objects(self.value["python"]))

    def test_the_other_writer_has_the_opcodes_of_torch(self):
        data, found = self.data["cpp"], opcodes(self.data["cpp"])
        known = "PROTO EMPTY_DICT EMPTY_LIST MARK SETITEMS APPENDS BINUNICODE BINPUT LONG_BINPUT BINGET LONG_BINGET"
        known += " BININT1 BININT2 BININT LONG1 NEWTRUE NEWFALSE BINFLOAT TUPLE2 STOP"
        self.assertEqual(set(found), set(known.split()))
        # One batch for each container, and all integers that need LONG1 in 8 bytes.
        self.assertEqual(found["APPENDS"], found["EMPTY_LIST"])
        self.assertEqual(found["SETITEMS"], found["EMPTY_DICT"])
        self.assertEqual({data[at + 1] for opcode, _, at in pickletools.genops(data) if opcode.name == "LONG1"}, {8})

    def test_periods_follow_each_other(self):
        for trace in self.value["python"]["device_traces"]:
            times = [event["time_us"] for event in trace]
            self.assertEqual(times, sorted(set(times)))
            depths = {len(event["frames"]) for event in trace if "frames" in event}
            self.assertEqual((min(depths) < 8, max(depths) > 55), (True, True))

    def test_a_free_and_its_completion_have_one_list_of_frames(self):
        made_by = {}
        for event in (event for trace in self.value["python"]["device_traces"] for event in trace):
            first = made_by.setdefault(id(event.get("frames")), event["action"])
            if event["action"] == "free_completed" and self.SHAPE == "own":
                self.assertEqual(first, "free_requested")
        segments = self.value["python"]["segments"]
        stacks = [block["frames"] for segment in segments for block in segment["blocks"] if block["frames"]]
        self.assertGreater(len(stacks), 100)
        for frames in stacks:
            self.assertIn(made_by[id(frames)], ("alloc", "segment_alloc", "segment_map"))

    def test_memviz_finds_the_accounts_balanced(self):
        for writer, path in self.path.items():
            stats = json.loads(subprocess.check_output([MEMVIZ, "stats", path, "--json", "-"]))
            self.assertEqual(stats["warnings"], [], writer)
            self.assertEqual([device["balanced"] for device in stats["devices"]], [True, True])
            self.assertEqual(sum(device["events"] for device in stats["devices"]), self.events)
            self.assertTrue(all(device["unmatched_frees"] > 0 for device in stats["devices"]))

    def test_programs_see_all_of_it(self):
        size = sum(event["size"] for trace in self.value["python"]["device_traces"] for event in trace)
        for writer, path in self.path.items():
            data = self.data[writer]
            said = subprocess.check_output([TOOLS / "memviz_bench_opcode_pass", path], text=True)
            self.assertTrue(said.startswith(f"{len(data)} bytes, {opcodes(data).total()} opcodes, "), said)
            for threads in ("1", "2"):
                said = subprocess.check_output([TOOLS / "memviz_bench_decode", path, threads], text=True)
                self.assertTrue(said.rstrip().endswith(f" {self.events} events of {size} bytes"), said)


class Own(Snapshots):
    SHAPE = "own"

    def test_is_large_enough_to_show_everything(self):
        found = opcodes(self.data["python"])
        for name in "APPEND APPENDS BINGET LONG_BINGET BININT2 BININT LONG1 TUPLE2 BINUNICODE".split():
            self.assertGreater(found[name], 10, name)

    def test_the_opcode_pass_notices_a_file_that_ends_early(self):
        path = pathlib.Path(self.folder.name, "short")
        path.write_bytes(self.data["python"][:-1])
        done = subprocess.run([TOOLS / "memviz_bench_opcode_pass", path], capture_output=True)
        self.assertEqual(done.returncode, 1)


class Alloc(Snapshots):
    SHAPE = "alloc"


class Shared(Snapshots):
    SHAPE = "shared"


if __name__ == "__main__":
    TOOLS, MEMVIZ = map(pathlib.Path, sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Are the benchmark's snapshots what PyTorch would have written? CPython's own pickle is the judge.

usage: generate_test.py FOLDER_OF_THE_BENCHMARK_PROGRAMS MEMVIZ
"""

import collections
import json
import pathlib
import pickle
import pickletools
import subprocess
import sys
import tempfile
import unittest

SHAPES = ("own", "alloc", "shared")
EVENTS = 20_000


def generate(*options):
    command = [TOOLS / "memviz_bench_generate", *map(str, options)]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def opcodes(data):
    return collections.Counter(opcode.name for opcode, _, _ in pickletools.genops(data))


def sharing(value):
    """For each dict and list in the order of a walk, the number of the object: the same for two values whose objects
    are shared in the same way."""
    numbers, walk = {}, []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        is_new = id(item) not in numbers
        walk.append(numbers.setdefault(id(item), len(numbers)))
        if is_new:
            parts = item.values() if isinstance(item, dict) else item
            waiting.extend(part for part in parts if isinstance(part, (dict, list)))
    return walk


class PythonWriter(unittest.TestCase):
    def test_cpython_writes_the_same_bytes(self):
        # What was one object is one object after loading, so that writing it again gives every reference again.
        for shape in SHAPES:
            for events in (16, 1001, EVENTS):
                for seed in (1, 2):
                    with self.subTest(shape=shape, events=events, seed=seed):
                        data = generate("--shape", shape, "--events", events, "--seed", seed)
                        self.assertTrue(pickle.dumps(pickle.loads(data), protocol=4) == data)

    def test_files_are_large_enough_to_show_everything(self):
        found = opcodes(generate("--events", EVENTS))
        self.assertGreater(found["FRAME"], 20)
        for name in "APPEND APPENDS BINGET LONG_BINGET BININT2 BININT LONG1 TUPLE2 BINUNICODE".split():
            self.assertGreater(found[name], 10, name)

    def test_depends_on_the_seed_only(self):
        self.assertTrue(generate("--events", 5000) == generate("--events", 5000, "--seed", 1))
        self.assertFalse(generate("--events", 5000) == generate("--events", 5000, "--seed", 2))

    def test_depth_bounds_the_stacks(self):
        value = pickle.loads(generate("--events", EVENTS, "--depth", 20))
        depths = {len(event["frames"]) for trace in value["device_traces"] for event in trace}
        self.assertEqual((min(depths), max(depths)), (5, 20))

    def test_lists_are_shared_as_recorded(self):
        # In recordings each free_completed has the list of its free_requested, and a block that of its alloc.
        value = pickle.loads(generate("--events", EVENTS))
        made_by = {}
        for trace in value["device_traces"]:
            for event in trace:
                made_by.setdefault(id(event["frames"]), event["action"])
                if event["action"] == "free_completed":
                    self.assertEqual(made_by[id(event["frames"])], "free_requested")
        stacks = [block["frames"] for segment in value["segments"] for block in segment["blocks"] if block["frames"]]
        self.assertGreater(len(stacks), 100)
        for frames in stacks:
            self.assertIn(made_by[id(frames)], ("alloc", "segment_alloc", "segment_map"))


class CppWriter(unittest.TestCase):
    def test_has_the_value_that_the_python_writer_has(self):
        for shape in SHAPES:
            with self.subTest(shape=shape):
                python = pickle.loads(generate("--shape", shape, "--events", EVENTS))
                cpp = pickle.loads(generate("--shape", shape, "--events", EVENTS, "--writer", "cpp"))
                self.assertTrue(cpp == python)
                self.assertTrue(sharing(cpp) == sharing(python))

    def test_has_the_opcodes_of_torch(self):
        data = generate("--events", EVENTS, "--writer", "cpp")
        found = opcodes(data)
        known = "PROTO EMPTY_DICT EMPTY_LIST MARK SETITEMS APPENDS BINUNICODE BINPUT LONG_BINPUT BINGET LONG_BINGET"
        known += " BININT1 BININT2 BININT LONG1 NEWTRUE NEWFALSE BINFLOAT TUPLE2 STOP"
        self.assertEqual(set(found), set(known.split()))
        # One batch for each container, and all integers that need LONG1 in 8 bytes.
        self.assertEqual(found["APPENDS"], found["EMPTY_LIST"])
        self.assertEqual(found["SETITEMS"], found["EMPTY_DICT"])
        self.assertEqual({data[at + 1] for opcode, _, at in pickletools.genops(data) if opcode.name == "LONG1"}, {8})


class Programs(unittest.TestCase):
    def test_memviz_finds_the_accounts_balanced(self):
        for shape in SHAPES:
            for writer in ("python", "cpp"):
                with self.subTest(shape=shape, writer=writer), tempfile.NamedTemporaryFile() as file:
                    generate("--shape", shape, "--writer", writer, "--events", EVENTS, "-o", file.name)
                    stats = json.loads(subprocess.check_output([MEMVIZ, "stats", file.name, "--json", "-"]))
                    self.assertEqual(stats["warnings"], [])
                    self.assertEqual([device["balanced"] for device in stats["devices"]], [True, True])
                    self.assertEqual(sum(device["events"] for device in stats["devices"]), EVENTS)
                    self.assertTrue(all(device["unmatched_frees"] > 0 for device in stats["devices"]))

    def test_the_opcode_pass_sees_every_opcode(self):
        for writer in ("python", "cpp"):
            with self.subTest(writer=writer), tempfile.NamedTemporaryFile() as file:
                generate("--writer", writer, "--events", EVENTS, "-o", file.name)
                data = pathlib.Path(file.name).read_bytes()
                said = subprocess.check_output([TOOLS / "memviz_bench_opcode_pass", file.name], text=True)
                self.assertTrue(said.startswith(f"{len(data)} bytes, {opcodes(data).total()} opcodes, "), said)

    def test_the_opcode_pass_tells_that_a_file_ends_early(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(generate("--events", 1000)[:-1])
            file.flush()
            done = subprocess.run([TOOLS / "memviz_bench_opcode_pass", file.name], capture_output=True)
            self.assertEqual(done.returncode, 1)

    def test_decode_hands_on_every_event(self):
        for threads in (1, 2):
            with self.subTest(threads=threads), tempfile.NamedTemporaryFile() as file:
                generate("--events", EVENTS, "-o", file.name)
                value = pickle.loads(pathlib.Path(file.name).read_bytes())
                size = sum(event["size"] for trace in value["device_traces"] for event in trace)
                said = subprocess.check_output([TOOLS / "memviz_bench_decode", file.name, str(threads)], text=True)
                self.assertTrue(said.rstrip().endswith(f" {EVENTS} events of {size} bytes"), said)

    def test_a_full_disk_is_an_error(self):
        command = [TOOLS / "memviz_bench_generate", "--events", "1000", "-o", "/dev/full"]
        self.assertEqual(subprocess.run(command, stderr=subprocess.DEVNULL).returncode, 1)


if __name__ == "__main__":
    TOOLS, MEMVIZ = map(pathlib.Path, sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])

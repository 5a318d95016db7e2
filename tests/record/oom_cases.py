"""The files and messages of `memviz run` after an out-of-memory error."""

import json
import os
import pickle
import sys

from stage import CAUGHT, FITS, MEMVIZ, Stage, TOO_MUCH


class OutOfMemory(Stage):
    def test_the_verdict_has_the_text_of_lines(self):
        train = self.folder.resolve() / "train.py"
        train.write_text("\n" * 11 + "loss = model(batch)\n")
        verdict = self.run_python(TOO_MUCH, STUB_TRAIN_PY=str(train)).err
        self.assertIn("1 block  step train.py:12: loss = model(batch)\n", verdict)

    def test_leaves_a_file_and_a_verdict_and_goes_on(self):
        done = self.run_python(TOO_MUCH)
        self.assertEqual(done.returncode, 1)
        file = self.one_file()
        verdict, error = done.err.split("Traceback", 1)
        self.assertIn("torch.OutOfMemoryError: CUDA out of memory", error)
        self.assertRegex(verdict, r"^memviz: process \d+ ran out of GPU memory\.\n  GPU 0 ran out of memory: 2\.00 GiB")
        self.assertIn("Exhaustion:", verdict)
        self.assertIn("step train.py:12", verdict)
        self.assertIn(f"  The full answer: memviz explain {file}\n", verdict)
        self.assertIn("  The error continues to the program, which may catch it.\n", verdict)
        # Memory outside PyTorch is known without --capacity.
        answer = json.loads(self.done([MEMVIZ, "explain", file, "--json", "-", "--quiet"]).out)["devices"][0]
        self.assertEqual(answer["totals"]["capacity_bytes"], 1 << 30)
        self.assertEqual(answer["totals"]["outside_bytes"], 1 << 20)
        self.assertEqual(answer["measured"]["total_bytes"], 1 << 30)
        self.assertIsNone(answer["measured"]["other_processes"])
        self.assertIn("1.00 MiB is neither PyTorch's nor free", verdict)

    def test_leaves_the_part_that_ranks_needs_where_all_nodes_write(self):
        parts = self.folder / "parts"
        for rank in range(2):
            done = self.run_python(TOO_MUCH, options=["--partial", parts], RANK=str(rank))
            self.assertIn(f"  For all ranks: memviz ranks {parts}\n", done.err)
        self.assertEqual(len(list(parts.iterdir())), 2)
        answer = json.loads(self.done([MEMVIZ, "ranks", parts, "--json", "-", "--quiet"]).out)
        self.assertEqual([row["rank"] for row in answer["ranks"]], [0, 1])
        self.assertTrue(answer["headline"].startswith("2 ranks ran out of memory"), answer["headline"])

    def test_without_room_for_the_part_still_has_its_verdict(self):
        done = self.run_python(TOO_MUCH, options=["--partial", "/dev/null/parts"])
        self.assertIn("  No part of it for memviz ranks: ", done.err)
        self.assertIn("Exhaustion:", done.err)

    def test_that_is_caught_is_told_and_the_program_goes_on(self):
        done = self.run_python(CAUGHT.format(count=5))
        self.assertEqual((done.returncode, done.out), (0, "went on\n"))
        self.assertEqual(done.err.count("ran out of GPU memory.\n"), 3)
        self.assertEqual(len(self.files()), 3)

    def test_that_has_no_file_any_more_has_a_line_with_the_latest_one(self):
        done = self.run_python(CAUGHT.format(count=5))
        last = done.err.splitlines()[-1]
        words = r"memviz: process \d+ ran out of GPU memory again: GPU 0, 2.00 GiB asked for, 1,022 MiB free; the latest file: /"
        self.assertRegex(last, words)
        self.assertIn(last.rpartition(" ")[2], [str(file) for file in self.files()])
        # One per second, because thousands would fill the log.
        self.assertEqual(done.err.count("ran out of GPU memory again"), 1)

    def test_that_ends_the_program_has_a_file_after_many_that_were_caught(self):
        done = self.run_python(CAUGHT.format(count=9) + "torch.allocate(300 << 20)\ntorch.allocate(3 << 30)\n")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.err.count("ran out of GPU memory.\n"), 4)
        self.assertIn("3.00 GiB asked for", done.err)
        self.assertEqual(len(self.files()), 4)

    def test_keeps_as_many_events_as_were_asked_for(self):
        check = FITS + "print(torch._state.asked)"
        done = self.run_python(check, ["--max-entries", "77"])
        self.assertEqual(done.out, "{'max_entries': 77, 'stacks': 'all'}\n")
        done = self.run_python(check, ["--python-only"])
        self.assertEqual(done.out, "{'max_entries': 100000, 'stacks': 'python'}\n")

    def test_of_ranks_leaves_a_file_each(self):
        script = self.script(TOO_MUCH)
        ranks = [
            self.start([MEMVIZ, "run", "--dir", self.folder / "out", "--", sys.executable, script], RANK=str(rank))
            for rank in range(2)
        ]
        for rank, process in enumerate(ranks):
            self.assertIn(f"memviz: rank {rank} (process {process.pid}) ran out", process.communicate(timeout=60)[1])
        names = [file.name for file in self.files(self.folder / "out")]
        self.assertEqual([name.split("-")[:2] for name in names], [["oom", "rank0"], ["oom", "rank1"]])

    def test_in_children_is_seen(self):
        for method in ("spawn", "fork", "forkserver"):
            script = self.script(f"""
import multiprocessing
def work():
    import torch
    torch.allocate(2 << 30)
if __name__ == "__main__":
    child = multiprocessing.get_context({method!r}).Process(target=work)
    child.start()
    child.join()
    raise SystemExit(child.exitcode)
""")
            output = self.folder / method
            done = self.run_program([sys.executable, script], ["--dir", output])
            self.assertEqual(done.returncode, 1, (method, done.err))
            self.assertEqual(len(self.files(output)), 1, (method, done.err))

    def test_in_a_program_that_was_started_by_another_is_seen(self):
        script = self.script(TOO_MUCH)
        done = self.run_program(["sh", "-c", f"{sys.executable} {script}; exit 9"])
        self.assertEqual(done.returncode, 9)
        self.one_file()

    def test_in_a_fork_after_torch_was_imported_is_seen(self):
        done = self.run_python("import os, torch\nif os.fork() == 0:\n  torch.allocate(2 << 30)\nos.wait()")
        self.assertEqual(done.returncode, 0)
        self.one_file()

    def test_of_a_program_that_records_itself_shows_its_own_history(self):
        program = "import torch\ntorch.cuda._lazy_init()\ntorch.cuda.memory._record_memory_history(max_entries=5)\n"
        done = self.run_python(program + "print(torch._state.asked)\n" + TOO_MUCH)
        self.assertEqual(done.out, "{'max_entries': 5}\n")
        self.one_file()

    def test_after_a_program_has_stopped_recording_itself_is_of_memvizs_history(self):
        history = "torch.cuda.memory._record_memory_history"
        for stop in ("enabled=None", "None", "False"):
            program = f"import torch\ntorch.cuda._lazy_init()\n{history}(max_entries=5)\n{history}({stop})\n"
            output = self.folder / stop
            done = self.run_python(program + "print(torch._state.asked)\n" + TOO_MUCH, ["--dir", output])
            self.assertEqual(done.out, "{'max_entries': 100000, 'stacks': 'all'}\n")
            self.assertIn("Exhaustion:", done.err)
            self.one_file(output)

    def test_after_a_program_stopped_what_it_never_began_is_of_memvizs_history(self):
        program = "import torch\ntorch.cuda.memory._record_memory_history(enabled=None)\ntorch.allocate(5)\n"
        program += "torch.cuda.memory._record_memory_history(None)\nprint(torch._state.history)\n"
        done = self.run_python(program + TOO_MUCH)
        self.assertEqual(done.out, "all\n")
        self.assertIn("step train.py:12", done.err)

    def test_after_a_program_could_not_record_itself_is_of_memvizs_history(self):
        program = "import torch\ntorch.allocate(5)\ntry: torch.cuda.memory._record_memory_history(1, 2, 3)\n"
        done = self.run_python(program + "except TypeError: print(torch._state.asked)\n" + TOO_MUCH)
        self.assertEqual(done.out, "{'max_entries': 100000, 'stacks': 'all'}\n")
        self.one_file()

    def test_that_no_event_tells_of_is_told_all_the_same(self):
        history = "torch.cuda.memory._record_memory_history"
        ways = {
            "left out": f"import torch\n{history}(skip_actions=['oom'])\n" + TOO_MUCH,
            "off": FITS + "torch._state.history = None\n" + TOO_MUCH,  # from C++, say
        }
        for way, program in ways.items():
            output = self.folder / way
            done = self.run_program([sys.executable, self.script(program)], ["--dir", output])
            self.assertIn("GPU 0 ran out of memory: 2.00 GiB asked for by", done.err, way)
            self.assertIn("Exhaustion:", done.err, way)
            (*_, event) = pickle.loads(self.one_file(output).read_bytes())["device_traces"][0]
            self.assertEqual((event["action"], event["size"], event["stream"]), ("oom", 2 << 30, 7))
            self.assertEqual([frame["name"] for frame in event["frames"]], ["allocate", "<module>"])

    def test_that_an_event_tells_of_is_told_once(self):
        for arguments in ("", "enabled='state'"):
            program = f"import torch\ntorch.cuda.memory._record_memory_history({arguments})\n" + TOO_MUCH
            output = self.folder / ("dir" + arguments)
            self.run_python(program, ["--dir", output])
            events = pickle.loads(self.one_file(output).read_bytes())["device_traces"][0]
            self.assertEqual([event["action"] for event in events].count("oom"), 1)

    def test_of_a_program_that_records_itself_from_the_start_is_not_recorded_twice(self):
        program = "import torch\ntorch.cuda.memory._record_memory_history(max_entries=5)\n" + FITS
        done = self.run_python(program + "print(torch._state.asked)\n")
        self.assertEqual(done.out, "{'max_entries': 5}\n")

    def test_within_another_run_leaves_one_file(self):
        self.run_program([MEMVIZ, "run", "--", sys.executable, "-c", TOO_MUCH])
        self.one_file()

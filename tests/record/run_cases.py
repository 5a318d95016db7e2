"""`memviz run` and MEMVIZ_RECORD."""

import json
import os
import pickle
import signal
import sys

from stage import CAUGHT, FAKE_TORCH, FITS, MEMVIZ, PACKAGE, Stage, TOO_MUCH


class AsIfItWereNotThere(Stage):
    def test_streams_exit_codes_and_words_are_those_of_the_program(self):
        done = self.run_program(["sh", "-c", 'echo "$0 $1"; echo err >&2; exit 7', "a b", "--dir"])
        self.assertEqual((done.returncode, done.out, done.err), (7, "a b --dir\n", "err\n"))
        self.assertEqual(os.listdir(self.folder / "work"), [])

    def test_a_program_that_a_signal_ends_ends_so(self):
        self.assertEqual(self.run_program(["sh", "-c", "kill -KILL $$"]).returncode, -signal.SIGKILL)
        self.assertEqual(self.run_program(["sh", "-c", "kill -TERM $$"]).returncode, -signal.SIGTERM)

    def test_every_signal_reaches_the_program(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP):
            trap = f"trap 'exit 5' {number.name[3:]}; echo ready; while :; do sleep 0.05; done"
            process = self.start([MEMVIZ, "run", "--", "sh", "-c", trap])
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(number)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 5, number)

    def test_signals_that_end_programs_end_them(self):
        process = self.start([MEMVIZ, "run", "--", "sh", "-c", "echo ready; exec sleep 60"])
        process.stdout.readline()
        process.send_signal(signal.SIGPIPE)  # which memviz ignores for itself
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, -signal.SIGPIPE)

    def test_a_signal_that_is_ignored_stays_so(self):
        for name in ("PIPE", "XFSZ"):
            alive = f"kill -{name} $$; echo alive"
            done = self.done(["sh", "-c", f"trap '' {name}; exec {MEMVIZ} run -- sh -c '{alive}'"])
            self.assertEqual((done.returncode, done.out), (0, "alive\n"), name)
            self.assertNotEqual(self.done([MEMVIZ, "run", "--", "sh", "-c", alive]).returncode, 0, name)

    def test_a_working_folder_that_is_gone_is_no_obstacle(self):
        gone = self.folder / "gone"
        gone.mkdir()
        done = self.done(["sh", "-c", f"cd {gone}; rmdir {gone}; exec {MEMVIZ} run -- echo ran"])
        self.assertEqual((done.returncode, done.out), (0, "ran\n"))
        self.assertRegex(done.err, r"^memviz: nothing is recorded: where memviz-run is cannot be told: .*\n$")
        done = self.done(["sh", "-c", f"mkdir {gone}; cd {gone}; rmdir {gone}; exec {MEMVIZ} run --dir /tmp -- echo ran"])
        self.assertEqual((done.returncode, done.out, done.err), (0, "ran\n", ""))

    def test_a_program_that_is_not_there_is_named(self):
        done = self.run_program(["no-such-program-at-all"])
        self.assertEqual((done.returncode, done.err), (127, "memviz: no such program: no-such-program-at-all\n"))
        done = self.run_program([str(self.folder)])
        self.assertEqual(done.returncode, 126)
        self.assertIn("cannot be started: permission denied", done.err)

    def test_bad_usage_is_said(self):
        self.assertEqual(self.done([MEMVIZ, "run", "python3"]).returncode, 2)
        self.assertEqual(self.done([MEMVIZ, "run", "--max-entries", "0", "--", "true"]).returncode, 2)
        self.assertEqual(self.done([MEMVIZ, "run", "--dir", "", "--", "true"]).returncode, 2)

    def test_nothing_is_written_while_memory_lasts(self):
        done = self.run_python(FITS + "print('fine')")
        self.assertEqual((done.returncode, done.out, done.err), (0, "fine\n", ""))
        self.assertEqual(os.listdir(self.folder / "work"), [])
        self.assertEqual(os.listdir(self.folder / "tmp"), [])

    def test_python_without_torch_runs_as_ever(self):
        program = "import sys\ntry:\n  import torch\nexcept ImportError as e: sys.exit(str(e))"
        done = self.run_python(program, PYTHONPATH="")
        self.assertEqual((done.returncode, done.err), (1, "No module named 'torch'\n"))

    def test_a_torch_that_is_found_at_the_second_try_is_recorded(self):
        program = f"import sys\ntry:\n  import torch\nexcept ImportError: sys.path.append({FAKE_TORCH!r})\n" + TOO_MUCH
        self.run_python(program, PYTHONPATH="")
        self.one_file()

    def test_a_torch_without_cuda_is_left_alone(self):
        done = self.run_python("import torch", FAKE_TORCH_IS_CPU="1")
        self.assertEqual((done.returncode, done.err), (0, ""))

    def test_the_program_sees_its_own_path_and_its_own_sitecustomize(self):
        site = self.folder / "site"
        site.mkdir()
        (site / "sitecustomize.py").write_text("import sys\nsys.is_customized = 'yes'\n")
        path = os.pathsep.join([str(site), FAKE_TORCH])
        program = "import sys; print(sys.is_customized, sys.path)"
        recorded, plain = self.run_python(program, PYTHONPATH=path), self.done(
            [sys.executable, "-c", program], PYTHONPATH=path
        )
        self.assertEqual((recorded.out, recorded.err), (plain.out, plain.err))

    def test_a_sitecustomize_that_fails_fails_as_without(self):
        site = self.folder / "site"
        site.mkdir()
        (site / "sitecustomize.py").write_text("raise RuntimeError('mine')\n")
        done = self.run_python("print('ran')", PYTHONPATH=str(site))
        self.assertEqual((done.returncode, done.out), (0, "ran\n"))
        self.assertIn("mine", done.err)
        self.assertNotIn("nothing is recorded", done.err)

    def test_pythons_that_read_no_environment_run_without_it(self):
        for words in (["-I"], ["-S"], ["-E"]):
            done = self.run_python(f"import sys; sys.path.append({FAKE_TORCH!r})\n" + TOO_MUCH, words=words)
            self.assertEqual(done.returncode, 1)
            self.assertIn("OutOfMemoryError", done.err)
            self.assertNotIn("memviz:", done.err)

    def test_what_the_environment_has_comes_behind(self):
        done = self.run_program(["sh", "-c", "echo $PYTHONPATH"], PYTHONPATH="/my/path")
        self.assertRegex(done.out, r"/hook-[0-9a-f]{32}:/my/path\n$")
        done = self.run_program(["sh", "-c", "echo $PYTHONPATH"], PYTHONPATH="")
        self.assertRegex(done.out, r"/hook-[0-9a-f]{32}\n$")

    def test_without_a_home_the_hook_is_in_the_temporary_folder(self):
        done = self.run_python(TOO_MUCH, HOME="/dev/null")
        self.assertIn("ran out of GPU memory", done.err)
        self.one_file()

    def test_without_any_place_the_program_runs(self):
        done = self.run_python("print('ran')", HOME="/dev/null", TMPDIR="/dev/null/no")
        self.assertEqual((done.returncode, done.out), (0, "ran\n"))
        self.assertIn("memviz: nothing is recorded: ", done.err)

    def test_a_damaged_hook_is_not_used(self):
        self.run_python(FITS)
        (hook,) = (self.folder / "home" / ".cache" / "memviz").iterdir()
        (hook / "sitecustomize.py").write_text("print('damaged')\n")
        done = self.run_python(TOO_MUCH)
        self.assertNotIn("damaged", done.out)
        self.one_file()

    def test_a_damaged_hook_is_made_anew_in_its_place(self):
        self.run_python(FITS)
        cache = self.folder / "home" / ".cache" / "memviz"
        (hook,) = cache.iterdir()
        (hook / "sitecustomize.py").unlink()
        for _ in range(2):
            self.run_python(FITS)
            self.assertEqual(list(cache.iterdir()), [hook])
        self.assertTrue((hook / "sitecustomize.py").exists())

    def test_an_allocator_that_keeps_no_history_is_said_to_and_the_program_runs(self):
        for allocator in ("cudaMallocAsync", "CUDAPluggableAllocator"):
            done = self.run_python(CAUGHT.format(count=1), FAKE_TORCH_ALLOCATOR=allocator)
            self.assertEqual((done.returncode, done.out), (0, "went on\n"))
            words = rf"^memviz: process \d+ is not recorded: RuntimeError: {allocator} does not yet support \w+\n$"
            self.assertRegex(done.err, words)

    def test_where_torch_finds_no_frames_of_cpp_those_of_python_are_recorded(self):
        done = self.run_python(FITS + "print(torch._state.asked)", FAKE_TORCH_HAS_NO_UNWINDING="1")
        self.assertEqual((done.out, done.err), ("{'max_entries': 100000, 'stacks': 'python'}\n", ""))

    def test_cuda_that_fails_at_first_and_is_tried_again_is_recorded_once(self):
        program = """
import torch
tries = []
def fail():
    tries.append(1)
    if len(tries) == 1: raise OSError("busy")
torch.cuda._lazy_call(fail)
try: torch.allocate(1)
except torch.cuda.DeferredCudaCallError: pass
"""
        done = self.run_python(program + TOO_MUCH)
        self.assertEqual(done.err.count("ran out of GPU memory"), 1)
        self.one_file()


class OutOfMemory(Stage):
    def test_leaves_a_file_and_a_verdict_and_goes_on(self):
        done = self.run_python(TOO_MUCH)
        self.assertEqual(done.returncode, 1)
        file = self.one_file()
        verdict, error = done.err.split("Traceback", 1)
        self.assertIn("torch.OutOfMemoryError: CUDA out of memory", error)
        self.assertRegex(verdict, r"^memviz: process \d+ ran out of GPU memory\.\n  GPU 0 ran out of memory: 2\.00 GiB")
        self.assertIn("Exhaustion:", verdict)
        self.assertIn("step train.py:12", verdict)
        self.assertIn(f"  All of it: memviz explain {file}\n", verdict)
        self.assertIn("  The error goes on to the program, which may catch it.\n", verdict)
        # Memory outside PyTorch is known without --capacity.
        answer = json.loads(self.done([MEMVIZ, "explain", file, "--json", "-", "--quiet"]).out)["devices"][0]
        self.assertEqual(answer["totals"]["capacity_bytes"], 1 << 30)
        self.assertEqual(answer["totals"]["outside_bytes"], 1 << 20)
        self.assertEqual(answer["measured"]["total_bytes"], 1 << 30)
        self.assertIsNone(answer["measured"]["other_processes"])
        self.assertIn("1.00 MiB is neither PyTorch's nor free", verdict)

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
        # One a second: by thousands they would be all that a log has.
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
            self.assertEqual((event["action"], event["size"]), ("oom", 2 << 30))
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


class WhatGoesWrong(Stage):
    def test_in_the_hook_does_not_reach_the_program(self):
        broken = {
            "torch.cuda.memory._snapshot = None": "wrote nothing at an out-of-memory error: TypeError",
            "torch.cuda.memory._snapshot = lambda: {'segments': [torch]}": "wrote nothing at an out-of-memory error: ",
            "torch.cuda.mem_get_info = None": "Exhaustion",
        }
        for line, words in broken.items():
            done = self.run_python(f"import torch\n{line}\n" + CAUGHT.format(count=1))
            self.assertEqual((done.returncode, done.out), (0, "went on\n"), line)
            self.assertIn(words, done.err, line)
            self.assertNotIn("Traceback", done.err, line)

    def test_in_the_settings_does_not_reach_the_program(self):
        done = self.run_program(["sh", "-c", f"MEMVIZ_RECORD_MAX_ENTRIES=many {sys.executable} {self.script(FITS)}"])
        self.assertEqual(done.returncode, 0)
        self.assertIn("is not recorded: ValueError", done.err)

    def test_a_folder_that_takes_no_files_is_replaced_by_the_temporary_one(self):
        (self.folder / "file").write_text("")
        done = self.run_python(TOO_MUCH, ["--dir", self.folder / "file" / "out"])
        self.assertIn(f"no file can be written to {self.folder}/file/out (Not a directory)", done.err)
        self.assertIn("Exhaustion:", done.err)
        self.one_file(self.folder / "tmp")

    def test_a_full_disk_leaves_the_verdict_and_no_half_file(self):
        for size, failures in ((64, 2), (0, 1)):
            with self.subTest(size):
                self.check_full_disk(size, failures)

    def check_full_disk(self, size, failures):
        limit = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"
        done = self.run_python(limit + TOO_MUCH)
        self.assertEqual(done.err.count("(File too large)"), failures, done.err)
        self.assertEqual(done.err.count("no file can be written to"), 2, done.err)
        self.assertIn("Exhaustion:", done.err)
        self.assertNotIn("All of it:", done.err)
        self.assertEqual(self.files() + self.files(self.folder / "tmp"), [])

    def test_without_the_program_the_file_is_kept(self):
        done = self.run_python("import os\nos.environ['MEMVIZ_PROGRAM'] = '/no/memviz'\n" + TOO_MUCH)
        self.assertIn("Why cannot be told here: [Errno 2]", done.err)
        self.assertIn("All of it: memviz explain ", done.err)
        self.one_file()

    def test_a_standard_error_that_is_closed_is_no_failure(self):
        done = self.run_python("import sys\nsys.stderr.close()\n" + CAUGHT.format(count=1))
        self.assertEqual((done.returncode, done.out), (0, "went on\n"))
        self.one_file()


class ForProgramsThatOthersStart(Stage):
    """python/memviz_torch.pth, which the wheel puts into site-packages."""

    def setUp(self):
        super().setUp()
        self.environment.update(MEMVIZ_PROGRAM=MEMVIZ, PYTHONPATH=os.pathsep.join([PACKAGE, FAKE_TORCH]))
        self.start_up = f"import site; site.addsitedir({PACKAGE!r})\n"

    def test_memviz_record_does_the_same(self):
        done = self.done([sys.executable, "-c", self.start_up + TOO_MUCH], MEMVIZ_RECORD="1")
        self.assertIn("Exhaustion:", done.err)
        self.one_file()

    def test_its_folder_and_its_entries_can_be_named(self):
        program = self.start_up + "import torch\ntorch.allocate(1)\nprint(torch._state.asked)\n" + TOO_MUCH
        named = {"MEMVIZ_RECORD_DIR": str(self.folder / "there"), "MEMVIZ_RECORD_MAX_ENTRIES": "99"}
        done = self.done([sys.executable, "-c", program], MEMVIZ_RECORD="1", **named)
        self.assertEqual(done.out, "{'max_entries': 99, 'stacks': 'all'}\n")
        self.one_file(self.folder / "there")

    def test_without_it_nothing_happens_and_nothing_is_imported(self):
        for value in ({}, {"MEMVIZ_RECORD": "0"}, {"MEMVIZ_RECORD": ""}):
            program = self.start_up + "import sys\nprint('memviz_torch' in sys.modules)\n" + TOO_MUCH
            done = self.done([sys.executable, "-c", program], **value)
            self.assertEqual(done.out, "False\n")
            self.assertNotIn("memviz", done.err)
        self.assertEqual(self.files(), [])

    def test_before_torch_little_is_imported(self):
        program = self.start_up + "import sys\nprint(*(name for name in ('subprocess', 'dataclasses') if name in sys.modules))\n"
        program += "print('memviz_torch.recording.job' in sys.modules)"
        done = self.done([sys.executable, "-S", "-c", "import sys\n" + program], MEMVIZ_RECORD="1")
        self.assertEqual(done.out, "\nTrue\n", done.err)

    def test_with_memviz_run_it_leaves_one_file(self):
        done = self.run_python(self.start_up + TOO_MUCH)
        self.assertEqual(done.err.count("ran out of GPU memory"), 1)
        self.one_file()

"""`memviz run` and MEMVIZ_RECORD."""

import os
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
        self.assertRegex(done.err, r"^memviz: nothing is recorded: cannot resolve the path of memviz-run: .*\n$")
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

    def test_without_a_home_and_a_temporary_folder_the_hook_is_in_memory(self):
        done = self.run_python("print('ran')", HOME="/dev/null", TMPDIR="/dev/null/no")
        self.assertEqual((done.returncode, done.out, done.err), (0, "ran\n", ""))
        done = self.run_python(TOO_MUCH, HOME="/dev/null", TMPDIR="/dev/null/no")
        self.assertIn("ran out of GPU memory", done.err)
        self.one_file()

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
        self.assertNotIn("The full answer:", done.err)
        self.assertEqual(self.files() + self.files(self.folder / "tmp"), [])

    def test_without_the_program_the_file_is_kept(self):
        done = self.run_python("import os\nos.environ['MEMVIZ_PROGRAM'] = '/no/memviz'\n" + TOO_MUCH)
        self.assertIn("The cause is unknown: [Errno 2]", done.err)
        self.assertIn("The full answer: memviz explain ", done.err)
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

"""`memviz run`, MEMVIZ_RECORD and memviz_torch.record(), with a module that stands in for torch (tests/rehearse/torch).

usage: record_test.py MEMVIZ SOURCE_FOLDER
"""

import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MEMVIZ = os.path.abspath(sys.argv.pop(1))
SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
FAKE_TORCH = str(SOURCE / "tests" / "rehearse")
PACKAGE = str(SOURCE / "python")

# The stand-in has 1 GiB.
TOO_MUCH = "import torch\ntorch.allocate(100 << 20)\ntorch.allocate(2 << 30)\n"
FITS = "import torch\ntorch.allocate(100 << 20)\n"
CAUGHT = """
import torch
torch.allocate(1 << 20)
for _ in range({count}):
    try:
        torch.allocate(2 << 30)
    except torch.OutOfMemoryError:
        pass
print("went on")
"""


class Stage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.output = self.folder / "work" / "memviz-run"
        (self.folder / "work").mkdir()
        (self.folder / "tmp").mkdir()
        self.environment = dict(
            os.environ,
            PYTHONPATH=FAKE_TORCH,
            HOME=str(self.folder / "home"),
            TMPDIR=str(self.folder / "tmp"),
            PYTHONDONTWRITEBYTECODE="1",
        )
        for name in ("XDG_CACHE_HOME", "RANK", "MEMVIZ_RECORD", "MEMVIZ_REHEARSAL_REPORT", "MEMVIZ_REHEARSAL_MEMORY"):
            self.environment.pop(name, None)

    def start(self, words, **environment):
        return subprocess.Popen(
            [str(word) for word in words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder / "work",
            env={**self.environment, **environment},
        )

    def done(self, words, **environment):
        process = self.start(words, **environment)
        process.out, process.err = process.communicate(timeout=120)
        return process

    def run_program(self, words, options=(), **environment):
        return self.done([MEMVIZ, "run", *options, "--", *words], **environment)

    def run_python(self, program, options=(), words=(), **environment):
        return self.run_program([sys.executable, *words, "-c", program], options, **environment)

    def script(self, text):
        path = self.folder / "work" / "program.py"
        path.write_text(text)
        return path

    def files(self, folder=None):
        return sorted((folder or self.output).glob("*")) if (folder or self.output).exists() else []

    def one_file(self, folder=None):
        (file,) = self.files(folder)
        return file


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
        self.assertEqual(done.err.count("ran out of GPU memory"), 3)
        self.assertEqual(len(self.files()), 3)

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
            "torch.cuda.memory._snapshot = None": "is not recorded: TypeError",
            "torch.cuda.memory._snapshot = lambda: {'segments': [torch]}": "is not recorded: ",
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
        limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
        done = self.run_python(limit + TOO_MUCH)
        self.assertEqual(done.err.count("(File too large)"), 2, done.err)
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

    def test_with_memviz_run_it_leaves_one_file(self):
        done = self.run_python(self.start_up + TOO_MUCH)
        self.assertEqual(done.err.count("ran out of GPU memory"), 1)
        self.one_file()


TENSORS = """
import types
class Tensor:
    def __init__(self, size, address=None):
        import torch
        self.address = torch.allocate(size) if address is None else address
        self.size = size
        self.grad = None
        self.device = types.SimpleNamespace(type="cuda", index=0)
    def untyped_storage(self):
        return self
    def data_ptr(self):
        return self.address
    def nbytes(self):
        return self.size
class Model:
    def __init__(self, **parameters):
        self.parameters = parameters
        self.buffers = {}
    def named_parameters(self):
        return self.parameters.items()
    def named_buffers(self):
        return self.buffers.items()
class Optimizer:
    def __init__(self, parameters, **options):
        self.param_groups = [{"params": list(parameters), **options}]
        self.state = {}
"""


class Record(Stage):
    def setUp(self):
        super().setUp()
        self.environment.update(MEMVIZ_PROGRAM=MEMVIZ, PYTHONPATH=os.pathsep.join([PACKAGE, FAKE_TORCH]))

    def record(self, body, arguments="", before="", **environment):
        lines = "\n".join("    " + line for line in body.strip().splitlines())
        program = f"import torch, memviz_torch\n{before}\nwith memviz_torch.record({arguments}) as r:\n{lines}\n"
        program += "print(r.files)\n"
        return self.done([sys.executable, "-c", program], **environment)

    def pickles(self):
        return sorted((self.folder / "work").rglob("*.pickle"))

    def the_pickle(self):
        (file,) = self.pickles()
        return pickle.loads(file.read_bytes())

    def test_the_package_does_not_import_torch(self):
        program = "import sys, memviz_torch; memviz_torch.record(); print('torch' in sys.modules)"
        done = self.done([sys.executable, "-c", program])
        self.assertEqual((done.out, done.err), ("False\n", ""))

    def test_writes_a_file_and_leaves_the_recorder_as_it_was(self):
        done = self.record(
            "torch.allocate(1000)\nprint(torch._state.asked)",
            "'m-{rank}.pickle', max_entries=50, stacks='python'",
            "import atexit; atexit.register(lambda: print(torch._state.history))",
            RANK="3",
        )
        self.assertEqual(done.out, "{'max_entries': 50, 'stacks': 'python'}\n['m-3.pickle']\nNone\n", done.err)
        found = self.the_pickle()
        self.assertEqual(len(found["device_traces"][0]), 2)
        self.assertEqual(found["memviz_recorder"]["rank"], 3)
        self.assertEqual(found["memviz_recorder"]["devices"][0]["total_bytes"], 1 << 30)

    def test_replaces_no_file(self):
        (self.folder / "work" / "m.pickle").write_bytes(b"mine")
        (self.folder / "work" / "m-2.pickle").write_bytes(b"mine, too")
        done = self.record("torch.allocate(1000)", "'m.pickle'")
        self.assertEqual(done.out, "['m-3.pickle']\n")
        self.assertEqual((self.folder / "work" / "m.pickle").read_bytes(), b"mine")

    def test_makes_folders_and_names(self):
        done = self.record("torch.allocate(1000)\nr.dump('a/b/{pid}-{time}.pickle')", "'c/{host}.pickle'")
        self.assertEqual(done.returncode, 0, done.err)
        self.assertEqual(len(self.pickles()), 2)

    def test_refuses_what_it_cannot_do_before_the_work_begins(self):
        for arguments in ("'{step}.pickle'", "'{'", "'{0}'", "max_entries=0", "max_entries='all'", "stacks='none'"):
            done = self.record("print('began')", arguments)
            self.assertIn("ValueError", done.err, arguments)
            self.assertNotIn("began", done.out, arguments)

    def test_at_an_out_of_memory_error_the_file_is_of_that_moment(self):
        done = self.record("torch.allocate(100)\ntorch.allocate(2 << 30)", "'m.pickle'")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Exhaustion:", done.err)
        self.assertEqual([file.name for file in self.pickles()], ["m-oom.pickle"])

    def test_that_is_caught_leaves_both(self):
        body = "try:\n    torch.allocate(2 << 30)\nexcept torch.OutOfMemoryError: pass"
        done = self.record(body, "'m.pickle'")
        self.assertEqual(done.out, "['m-oom.pickle', 'm.pickle']\n")
        done = self.record(body, "'n.pickle', on_oom=False, on_exit=False")
        self.assertEqual((done.out, done.err), ("[]\n", ""))

    def test_another_error_is_the_one_that_is_seen(self):
        done = self.record("torch.allocate(100)\nraise KeyError('mine')", "'/dev/null/m.pickle'")
        self.assertIn("memviz: the snapshot could not be written", done.err)
        self.assertIn("KeyError: 'mine'", done.err)

    def test_after_the_block_nothing_is_told(self):
        program = "import torch, memviz_torch\nwith memviz_torch.record(on_exit=False) as r:\n    torch.allocate(5)\n"
        done = self.done([sys.executable, "-c", program + CAUGHT.format(count=1)])
        self.assertEqual((done.out, done.err), ("went on\n", ""))

    def test_of_two_the_inner_one_is_told(self):
        body = "with memviz_torch.record('inner.pickle', on_exit=False):\n"
        body += "    try:\n        torch.allocate(2 << 30)\n    except torch.OutOfMemoryError: pass"
        self.record(body, "'outer.pickle', on_exit=False")
        self.assertEqual([file.name for file in self.pickles()], ["inner-oom.pickle"])

    def test_a_recording_of_somebody_else_goes_on(self):
        before = "torch.cuda._lazy_init()\ntorch.cuda.memory._record_memory_history(max_entries=7)\n"
        before += "import atexit; atexit.register(lambda: print(torch._state.asked, torch._state.history))"
        done = self.record("torch.allocate(5)", "'m.pickle'", before)
        self.assertEqual(done.out, "['m.pickle']\n{'max_entries': 7} all\n")

    def test_without_cuda_the_block_runs(self):
        done = self.record("r.step()\nprint(r.dump())", FAKE_TORCH_IS_CPU="1")
        self.assertEqual(done.out, "None\n[]\n")
        self.assertIn("nothing is recorded: torch finds no CUDA device here", done.err)

    def test_a_program_that_never_used_cuda_leaves_no_file(self):
        done = self.record("pass")
        self.assertEqual((done.out, done.err), ("[]\n", ""))

    def test_steps_are_steps_of_leaks(self):
        step = ["a = torch.allocate(1 << 20)", "torch.allocate(512)", "torch.release(a)", "r.step()"]
        self.record("for _ in range(12):\n    " + "\n    ".join(step))
        (file,) = self.pickles()
        done = self.done([MEMVIZ, "leaks", file])
        self.assertIn("memviz_step#", done.out)
        self.assertIn("step train.py:12", done.out)
        names = {mark["name"] for mark in self.the_pickle()["external_annotations"]}
        self.assertEqual(names, {f"memviz_step#{number}" for number in range(13)})

    def test_tensors_have_names_and_kinds(self):
        body = TENSORS + """
model = Model(**{"up.weight": Tensor(4 << 20), "_orig_mod.down.weight": Tensor(2 << 20)})
model.parameters["tied.weight"] = model.parameters["up.weight"]
model.parameters["view.weight"] = Tensor(1 << 20, model.parameters["_orig_mod.down.weight"].address)
model.buffers["mean"] = Tensor(1 << 20)
weight = model.parameters["up.weight"]
weight.grad = Tensor(4 << 20)
alone = Tensor(3 << 20)
optimizer = Optimizer([weight, alone], lr=Tensor(512))
optimizer.state[weight] = {"exp_avg": Tensor(4 << 20), "step": 5, "more": [Tensor(1024)]}
other = torch.allocate(9 << 20)
r._names, r._optimizer = model, [optimizer]
"""
        done = self.record(body, "'m.pickle'")
        self.assertEqual(done.out, "['m.pickle']\n", done.err)
        rows = [row[2:] for row in self.the_pickle()["memviz_recorder"]["tensors"]]
        self.assertEqual(
            rows,
            [
                [4 << 20, "parameter", "up.weight"],
                [4 << 20, "gradient", "up.weight"],
                [2 << 20, "parameter", "down.weight and 1 more"],
                [1 << 20, "buffer", "mean"],
                [3 << 20, "parameter", "param_groups[0][1]"],
                [512, "optimizer_state", "param_groups[0].lr"],
                [4 << 20, "optimizer_state", "up.weight.exp_avg"],
                [1024, "optimizer_state", "up.weight.more[0]"],
            ],
        )

    def test_a_model_that_cannot_be_named_does_not_cost_the_file(self):
        done = self.record("torch.allocate(10)", "'m.pickle', names=object()")
        self.assertEqual(done.out, "['m.pickle']\n")
        self.assertIn("memviz: the snapshot has no names of tensors: AttributeError", done.err)


class Nvml:
    """Stands in for libnvidia-ml.so.1: a device whose processes are given."""

    def __init__(self, processes, uuid=b"GPU-00000000-stand-in"):
        self.processes = processes
        self.uuid = uuid
        self.nvmlInit_v2 = self.nvmlShutdown = lambda: 0

    def nvmlDeviceGetHandleByUUID(self, uuid, handle):
        return 0 if uuid.value == self.uuid else 6

    def nvmlDeviceGetComputeRunningProcesses_v3(self, handle, count, found):
        for index, (pid, size) in enumerate(self.processes):
            found[index].pid, found[index].bytes = pid, size
        count._obj.value = len(self.processes)
        return 0

    def nvmlDeviceGetGraphicsRunningProcesses_v3(self, handle, count, found):
        count._obj.value = 0
        return 0


class Devices(unittest.TestCase):
    def setUp(self):
        sys.path.insert(0, PACKAGE)
        self.addCleanup(sys.path.remove, PACKAGE)
        from memviz_torch.recording import devices

        self.devices = devices

    def facts(self, processes, reserved=100):
        class Cuda:
            memory_reserved = staticmethod(lambda device: reserved)
            device_count = staticmethod(lambda: 2)
            mem_get_info = staticmethod(lambda device: (5, 1000))
            get_device_properties = staticmethod(lambda device: type("Device", (), {"uuid": "00000000-stand-in"}))

        library = Nvml(processes)
        loaded = self.devices.ctypes.CDLL
        self.devices.ctypes.CDLL = lambda name: library
        try:
            return self.devices.measured(type("Torch", (), {"cuda": Cuda}))[0]
        finally:
            self.devices.ctypes.CDLL = loaded

    def test_processes_of_a_device_are_told_apart(self):
        self.assertEqual(
            self.facts([(os.getpid(), 130), (999999, 50), (999998, 7)]),
            {
                "device": 0,
                "total_bytes": 1000,
                "free_bytes": 5,
                "own_outside_bytes": 30,
                "other_processes": 2,
                "other_processes_bytes": 57,
            },
        )

    def test_numbers_that_are_those_of_another_machine_tell_nothing(self):
        for processes in ([(999999, 500)], [(os.getpid(), 90)], [(os.getpid(), 130), (999999, (1 << 64) - 1)], []):
            self.assertNotIn("other_processes", self.facts(processes), processes)

    def test_a_device_without_nvml_has_its_totals(self):
        with self.assertRaises(OSError):
            self.devices.processes_of("00000000-another", Nvml([]))

    def test_devices_that_are_not_used_are_not_touched(self):
        class Cuda:
            memory_reserved = staticmethod(lambda device: 0)
            device_count = staticmethod(lambda: 8)

        self.assertEqual(self.devices.measured(type("Torch", (), {"cuda": Cuda})), [])


if __name__ == "__main__":
    unittest.main()

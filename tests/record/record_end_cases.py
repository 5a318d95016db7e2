"""memviz_torch.record(): how it begins and ends, together with others and with the signals of the program."""

from stage import CAUGHT, RANK_VARIABLES, RecordStage

NO_FOLDER = "import os, pathlib; pathlib.Path('there').write_text('')"
# The number of events of a file.
COUNT = "import pickle\ncount = lambda file: len(pickle.load(open(file, 'rb'))['device_traces'][0])"


class WhereItsFileGoes(RecordStage):
    def test_elsewhere_where_its_folder_takes_none_at_the_end(self):
        done = self.record(f"torch.allocate(100)\n{NO_FOLDER}", "'there/m.pickle'")
        (file,) = self.files(self.folder / "tmp")
        self.assertEqual((done.returncode, done.out), (0, f"['{file}']\n"), done.err)
        words = rf"^memviz: process \d+: no file can be written to there \(File exists\); the snapshot is {file}\n$"
        self.assertRegex(done.err, words)

    def test_nowhere_where_the_disk_is_full_and_the_program_goes_on(self):
        full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))"
        done = self.record(f"torch.allocate(100)\n{full}", "'m.pickle'")
        self.assertEqual((done.returncode, done.out), (0, "[]\n"))
        self.assertRegex(done.err, r"^memviz: process \d+: no file .* and no file .*; the snapshot is lost\n$")

    def test_pytorch_names_frames_itself_where_addr2line_is_missing(self):
        program = """
import os
take = torch.cuda.memory._snapshot
def show():
    print("mode", os.environ.get("TORCH_SYMBOLIZE_MODE"))
    return take()
torch.cuda.memory._snapshot = show
torch.allocate(100)
"""
        for variables, mode in (
            ({"PATH": "tools"}, "None"),
            ({"PATH": "none"}, "fast"),
            ({"PATH": "none", "TORCH_SYMBOLIZE_MODE": "dladdr"}, "dladdr"),
        ):
            with self.subTest(variables=variables):
                (self.folder / "work" / "tools").mkdir(exist_ok=True)
                (self.folder / "work" / "tools" / "addr2line").touch(mode=0o755)
                done = self.record(program, "'m.pickle'", **variables)
                self.assertIn(f"mode {mode}\n", done.out, done.err)

    def test_a_snapshot_that_cannot_be_taken_is_no_error_of_the_program(self):
        done = self.record("torch.allocate(100)\ntorch.cuda.memory._snapshot = None", "'m.pickle'")
        self.assertEqual((done.returncode, done.out), (0, "[]\n"))
        self.assertRegex(done.err, r"^memviz: process \d+ could not write the snapshot: TypeError: .*\n$")

    def test_to_a_place_that_takes_none_is_refused_before_the_work_begins(self):
        (self.folder / "work" / "file").write_text("")
        for path in ("/dev/null/m.pickle", "file/m.pickle", "file/a/b/m.pickle", "a/" + "m" * 300):
            done = self.record("print('began')", repr(path))
            self.assertIn("Error: [Errno ", done.err, path)
            self.assertNotIn("began", done.out, path)
        done = self.record("torch.allocate(5)", "'file/m.pickle', on_exit=False, on_oom=False")
        self.assertEqual(done.out, "[]\n", done.err)

    def test_in_a_folder_it_has_the_default_name(self):
        (self.folder / "work" / "there").mkdir()
        for arguments in ("'there'", "'there/'", "'new/'", "pathlib.Path('there')"):
            done = self.record("torch.allocate(5)", arguments, "import pathlib", RANK="2")
            self.assertRegex(done.out, r"^\['(there|new)/memviz-2-\d{8}-\d{6}(-\d)?\.pickle'\]\n$", done.err)
        done = self.record("torch.allocate(5)\nprint(r.dump('there'))", "on_exit=False")
        self.assertRegex(done.out, r"^there/memviz-0-.*\.pickle\n", done.err)
        self.record("torch.allocate(2 << 30)", "'there'")
        self.assertEqual(len(list((self.folder / "work" / "there").glob("memviz-0-*-oom.pickle"))), 1)


class Ranks(RecordStage):
    def rank(self, **environment):
        self.record("torch.allocate(5)", "'m.pickle'", **environment)
        found = self.the_pickle()["memviz_recorder"]["rank"]
        self.pickles()[0].unlink()
        return found

    def test_are_those_of_every_launcher(self):
        for name in RANK_VARIABLES:
            self.assertEqual(self.rank(**{name: "3"}), 3, name)

    def test_of_slurm_give_way_to_those_of_mpirun_within_its_step(self):
        for name in RANK_VARIABLES[:-1]:
            self.assertEqual(self.rank(**{name: "3", "SLURM_PROCID": "0"}), 3, name)


class Overlapping(RecordStage):
    def events(self, first="", second="", between="torch.allocate(9)"):
        done = self.record("pass", "on_exit=False", COUNT + f"""
a = memviz_torch.record('a.pickle'{first}).start()
torch.cuda._lazy_init()
{between}
b = memviz_torch.record('b.pickle'{second}).start()
for _ in range(30): torch.allocate(9)
a.stop()
for _ in range(30): torch.allocate(9)
print(torch._state.history)
b.stop()
print(torch._state.history)
print(count('a.pickle'), count('b.pickle'))
""")
        on, off, counts, *_ = done.out.splitlines()
        self.assertEqual((on, off), ("all", "None"), done.err)
        return (*map(int, counts.split()), done.err)

    def test_recordings_keep_their_events(self):
        self.assertEqual(self.events(), (62, 122, ""))

    def test_the_later_one_may_ask_for_more_events(self):
        self.assertEqual(self.events(", max_entries=50"), (62, 122, ""))
        self.assertEqual(self.events(", stacks='python'"), (62, 122, ""))

    def test_the_earlier_one_loses_none_where_its_events_came_round(self):
        many = "for _ in range(30): torch.allocate(9)"
        first, second, said = self.events(", max_entries=50", "", many)
        self.assertEqual((first, second), (50, 50))
        words = r"^memviz: process \d+ keeps 50 events of each device, with stacks='all', as the recording that began first "
        self.assertRegex(said, words)

    def test_the_later_one_may_end_first(self):
        done = self.record("torch.allocate(9)\nb = memviz_torch.record('b.pickle').start()\nb.stop()\n"
                           "torch.allocate(9)\nprint(torch._state.history)", "'a.pickle'", COUNT)
        self.assertEqual(done.out, "all\n['a.pickle']\n", done.err)


class Signals(RecordStage):
    """A handler that raises while the verdict is made, or a snapshot taken."""

    HANDLER = """
import os, signal
class Limit(Exception): pass
def stop(*_): raise {}
signal.signal(signal.SIGALRM, stop)
"""

    def setUp(self):
        super().setUp()
        program = self.folder / "slow_memviz"
        program.write_text("#!/bin/sh\nkill -ALRM $PPID; sleep 0.3; echo verdict\n")
        program.chmod(0o755)
        self.environment["MEMVIZ_PROGRAM"] = str(program)

    def test_reach_the_program_from_an_out_of_memory_error(self):
        for error in ("Limit('mine')", "KeyboardInterrupt('mine')", "SystemExit('mine')"):
            done = self.record("torch.allocate(2 << 30)", "on_exit=False", self.HANDLER.format(error))
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.err.splitlines()[-1].split(": ")[-1].split(".")[-1], "mine", done.err)
            self.assertNotIn("OutOfMemoryError", done.err)

    def test_reach_a_program_under_memviz_run(self):
        hook = "import os\nos.environ['MEMVIZ_PROGRAM'] = " + repr(self.environment["MEMVIZ_PROGRAM"])
        done = self.run_python(hook + self.HANDLER.format("Limit('mine')") + "import torch\ntorch.allocate(2 << 30)")
        self.assertTrue(done.err.splitlines()[-1].endswith("Limit: mine"), done.err)

    def test_leave_their_handlers_in_place(self):
        before = self.HANDLER.format("Limit") + "import torch"
        body = CAUGHT.format(count=1).replace("torch.OutOfMemoryError", "(torch.OutOfMemoryError, Limit)")
        done = self.record(body + "print(signal.getsignal(signal.SIGALRM) is stop)", "on_exit=False", before)
        self.assertIn("went on\nTrue\n", done.out, done.err)

    def test_that_raise_nothing_cost_nothing(self):
        before = "import signal\nsignal.signal(signal.SIGALRM, lambda *_: print('seen', flush=True))"
        done = self.record(CAUGHT.format(count=1), "'m.pickle', on_exit=False", before)
        self.assertEqual(done.out, "seen\nwent on\n['m-oom.pickle']\n", done.err)
        self.assertIn("\n  verdict\n", done.err)

    def test_reach_the_program_from_the_end_of_the_block(self):
        before = self.HANDLER.format("Limit('mine')") + """
import pickle
class Odd:  # what takes the snapshot fails
    def __reduce__(self): os.kill(os.getpid(), signal.SIGALRM); return (int, ())
take = torch.cuda.memory._snapshot
torch.cuda.memory._snapshot = lambda: {**take(), "odd": Odd()}
"""
        done = self.record("torch.allocate(5)", "'m.pickle'", before)
        self.assertTrue(done.err.splitlines()[-1].endswith("Limit: mine"), done.err)

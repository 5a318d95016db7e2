"""The channel through which a prepared process answers, with a client in place of `memviz attach`."""

import json
import os
import pathlib
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from stage import MEMVIZ, RecordStage, Stage

# Waits for a line. Python may only see a signal between two calls of C, and the system starts a call of read() again.
SEES_SIGNALS = "import select, sys\nwhile not select.select([sys.stdin], [], [], 0.1)[0]: pass\n"
# Prints what it is about to do, and does it when a line arrives.
WAITS = "import sys, torch\ntorch.allocate(100 << 20)\nprint('ready', flush=True)\nsys.stdin.readline()\n"


def request(path, **facts):
    """Returns the lines of the answer, and the bytes after them."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(str(path))
        connection.sendall(json.dumps({"format": 1, **facts}).encode() + b"\n")
        with connection.makefile("rb") as answer:
            begun, result = answer.readline(), answer.readline()
            return json.loads(begun or "{}"), json.loads(result or "{}"), answer.read()


class WithRuntime:
    """Has a folder for channels, in a stage."""

    def prepare(self):
        # A short path: those of sockets have a bound.
        folder = tempfile.TemporaryDirectory(dir="/tmp")
        self.addCleanup(folder.cleanup)
        self.runtime = pathlib.Path(folder.name)
        self.environment["XDG_RUNTIME_DIR"] = str(self.runtime)
        self.channels = self.runtime / "memviz"

    def waiting(self, program=WAITS, **environment):
        process = self.start_waiting([MEMVIZ, "run", "--", sys.executable, "-c", program], **environment)
        self.assertEqual(process.stdout.readline(), "ready\n", process.poll())
        return process

    def start_waiting(self, words, **environment):
        process = subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, cwd=self.folder / "work", env={**self.environment, **environment},
        )
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def go_on(self, process):
        out, err = process.communicate("\n", timeout=60)
        return process.returncode, out, err

    def path_of(self, process):
        return self.channels / f"{os.stat('/proc/self/ns/pid').st_ino}-{process.pid}"


class Channel(WithRuntime, Stage):
    def setUp(self):
        super().setUp()
        self.prepare()

    def test_answers_with_a_snapshot_and_the_program_goes_on_as_without(self):
        process = self.waiting()
        begun, result, content = request(self.path_of(process))
        self.assertTrue(begun["begun"])
        self.assertEqual(result["bytes"], len(content))
        self.assertEqual(sum(segment["total_size"] for segment in pickle.loads(content)["segments"]), 100 << 20)
        self.assertEqual(self.go_on(process), (0, "", ""))

    def test_is_only_for_its_user(self):
        process = self.waiting()
        self.assertEqual(self.channels.stat().st_mode & 0o777, 0o700)
        self.assertEqual(self.channels.stat().st_uid, os.geteuid())

    @unittest.skipUnless(os.geteuid() == 0, "takes root")
    def test_refuses_another_user(self):
        process = self.waiting()
        for path in (self.runtime, self.channels, self.path_of(process)):
            path.chmod(0o777)  # so that the connection itself is possible
        child = os.fork()
        if child == 0:
            try:
                os.setuid(65534)
                os._exit(0 if request(self.path_of(process)) == ({}, {}, b"") else 1)
            except (BrokenPipeError, ConnectionResetError):
                os._exit(0)
            finally:
                os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(self.go_on(process)[0], 0)

    def test_is_not_opened_in_a_folder_that_others_may_enter(self):
        self.channels.mkdir()
        self.channels.chmod(0o755)
        process = self.waiting()
        self.assertEqual(os.listdir(self.channels), [])
        other = pathlib.Path(f"/tmp/memviz-{os.geteuid()}") / self.path_of(process).name
        self.assertTrue(other.exists())
        self.assertEqual(self.go_on(process), (0, "", ""))
        self.assertFalse(other.exists())

    def test_is_not_opened_behind_a_link(self):
        (self.runtime / "elsewhere").mkdir(0o700)
        self.channels.symlink_to(self.runtime / "elsewhere")
        self.waiting()
        self.assertEqual(os.listdir(self.runtime / "elsewhere"), [])

    def test_leaves_nothing_at_the_end(self):
        for end in ("", "sys.exit(3)", "raise ValueError", "import os; os.kill(os.getpid(), 2)"):
            process = self.waiting(WAITS + end + "\n")
            self.assertTrue(self.path_of(process).exists())
            self.go_on(process)
            self.assertEqual(os.listdir(self.runtime), [], end)

    def test_of_a_killed_process_is_removed_by_the_next(self):
        process = self.waiting()
        process.kill()
        process.wait()
        self.assertEqual(len(os.listdir(self.channels)), 1)
        other = self.waiting()
        self.assertEqual(os.listdir(self.channels), [self.path_of(other).name])

    def test_stays_the_parents_after_a_fork(self):
        # Python 3.12 warns of forks where there are threads, as CUDA has.
        program = "import os, time, warnings\nwarnings.simplefilter('ignore')\nchild = os.fork()\nif child == 0:\n"
        program += "    print(os.getpid(), flush=True)\n    time.sleep(10)\n    os._exit(0)\n"
        program += "sys.stdin.readline()\nos.kill(child, 9)\nos.wait()\n"
        process = self.waiting(WAITS + program)
        process.stdin.write("\n")
        process.stdin.flush()
        child = int(process.stdout.readline())
        sockets = [os.readlink(f"/proc/{child}/fd/{name}") for name in os.listdir(f"/proc/{child}/fd")]
        self.assertFalse([name for name in sockets if name.startswith("socket:")], sockets)
        self.assertTrue(request(self.path_of(process))[2])
        self.assertEqual(self.go_on(process)[::2], (0, ""))

    def test_of_a_child_that_uses_cuda_itself_is_its_own(self):
        program = "import os, sys, warnings, torch\nwarnings.simplefilter('ignore')\nif os.fork() == 0:\n    torch.allocate(1 << 20)\n    print(os.getpid(), flush=True)\n"
        program += "    sys.stdin.readline()\n    sys.exit()\nos.wait()\n"
        process = self.start_waiting([MEMVIZ, "run", "--", sys.executable, "-c", program])
        child = int(process.stdout.readline())
        self.assertEqual([name.split("-")[1] for name in os.listdir(self.channels)], [str(child)])
        self.assertTrue(request(next(self.channels.iterdir()))[2])
        self.assertEqual(self.go_on(process), (0, "", ""))
        self.assertEqual(os.listdir(self.runtime), [])

    def test_a_child_of_multiprocessing_leaves_nothing(self):
        program = "import multiprocessing, torch\ndef work():\n    torch.allocate(1 << 20)\n"
        program += "process = multiprocessing.get_context('fork').Process(target=work)\nprocess.start()\nprocess.join()\n"
        self.assertEqual(self.run_python(program).returncode, 0)
        self.assertEqual(os.listdir(self.runtime), [])

    def test_is_not_inherited_by_programs(self):
        program = WAITS + "import subprocess\nsubprocess.run(['ls', '-l', '/proc/self/fd'], close_fds=False)\n"
        self.assertNotIn("socket:", self.go_on(self.waiting(program))[1])

    def test_does_not_appear_in_what_python_shows_of_itself(self):
        shown = "import threading, sys\nfor _ in range(2):\n"
        shown += "    print(threading.enumerate(), sys.getswitchinterval(), flush=True)\n    sys.stdin.readline()\n"
        process = self.waiting(WAITS + shown)
        process.stdin.write("\n")
        process.stdin.flush()
        before = process.stdout.readline()
        self.assertTrue(request(self.path_of(process))[2])
        self.assertEqual(self.go_on(process), (0, before, ""))
        self.assertIn("[<_MainThread(MainThread, started", before)

    def test_answers_while_the_program_sleeps(self):
        process = self.waiting(WAITS + "import time\nprint('sleeps', flush=True)\ntime.sleep(120)\n")
        process.stdin.write("\n")
        process.stdin.flush()
        process.stdout.readline()
        self.assertTrue(request(self.path_of(process))[2])

    def test_answers_two_requests_at_once(self):
        process = self.waiting()
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(request(self.path_of(process)))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(len([content for _, _, content in answers if content]), 4)

    def test_survives_requests_that_are_none(self):
        process = self.waiting()
        for text in (b"", b"\n", b"[]\n", b"{}\n", b"x" * 10000, b'{"format": 1, "record_seconds": -1}\n'):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(self.path_of(process)))
                connection.sendall(text)
        self.assertTrue(request(self.path_of(process))[2])
        self.assertEqual(self.go_on(process), (0, "", ""))

    def test_a_reader_that_goes_does_not_disturb(self):
        process = self.waiting()
        for record_seconds in (0, 60):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(self.path_of(process)))
                connection.sendall(b'{"format": 1, "record_seconds": %d}\n' % record_seconds)
                connection.recv(4)
        began = time.monotonic()
        self.assertTrue(request(self.path_of(process))[2])
        self.assertLess(time.monotonic() - began, 30)

    def test_a_process_that_ends_meanwhile_ends_as_without(self):
        process = self.waiting()
        answers = []
        thread = threading.Thread(target=lambda: answers.append(request(self.path_of(process), record_seconds=60)))
        thread.start()
        time.sleep(0.5)
        began = time.monotonic()
        self.assertEqual(self.go_on(process), (0, "", ""))
        self.assertLess(time.monotonic() - began, 10)
        thread.join(30)
        self.assertEqual(answers[0][1:], ({}, b""))

    def test_that_gets_no_thread_is_closed_and_the_program_runs(self):
        program = "import _thread\ndef fail(*_): raise RuntimeError('no thread')\n_thread.start_new_thread = fail\n"
        process = self.waiting(program + WAITS)
        self.assertEqual(os.listdir(self.runtime), [])
        self.assertEqual(self.go_on(process), (0, "", ""))

    def test_can_be_turned_off(self):
        self.waiting(MEMVIZ_RECORD_CHANNEL="0")
        self.assertEqual(os.listdir(self.runtime), [])


class ChannelOfRecord(WithRuntime, RecordStage):
    def setUp(self):
        super().setUp()
        self.prepare()

    def start_program(self, program):
        process = self.start_waiting([sys.executable, "-c", "import memviz_torch\n" + program])
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def test_is_open_while_it_records(self):
        indented = "".join("    " + line + "\n" for line in WAITS.splitlines() if "import" not in line)
        program = "import sys, torch\nwith memviz_torch.record(on_exit=False):\n" + indented
        process = self.start_program(program + "print('after', flush=True)\nsys.stdin.readline()\n")
        self.assertTrue(request(self.path_of(process))[2])
        process.stdin.write("\n")
        process.stdin.flush()
        process.stdout.readline()
        self.assertEqual(os.listdir(self.runtime), [])
        self.assertEqual(self.go_on(process), (0, "", ""))


class OtherOccasions(WithRuntime, Stage):
    def setUp(self):
        super().setUp()
        self.prepare()

    def test_always_leaves_a_file_at_a_good_end(self):
        done = self.run_python("import torch\ntorch.allocate(1 << 20)\nprint('fine')", ["--always"])
        file = self.one_file()
        self.assertRegex(file.name, r"^end-\d+-[\d-]+\.pickle$")
        self.assertEqual((done.returncode, done.out), (0, "fine\n"))
        self.assertRegex(done.err, rf"^memviz: process \d+ wrote a snapshot: memviz explain --at end {file}\n$")
        self.assertEqual(sum(s["total_size"] for s in pickle.loads(file.read_bytes())["segments"]), 1 << 20)

    def test_always_leaves_none_where_no_gpu_memory_was_used_or_the_end_is_an_error(self):
        self.run_python("import torch", ["--always"])
        self.run_python("import torch\ntorch.allocate(1 << 20)\nraise ValueError", ["--always"])
        self.assertEqual(self.files(), [])

    def test_always_leaves_a_file_at_the_end_of_a_child_of_multiprocessing(self):
        program = "import multiprocessing, torch\ndef work():\n    torch.allocate(1 << 20)\n    {}\n"
        program += "process = multiprocessing.get_context('fork').Process(target=work)\nprocess.start()\nprocess.join()\n"
        if sys.version_info < (3, 13):  # later, nothing shows a child's exception at its end
            self.run_python(program.format("raise ValueError"), ["--always"])
            self.assertEqual(self.files(), [])
        done = self.run_python(program.format("pass"), ["--always"])
        self.assertRegex(done.err, rf"^memviz: process \d+ wrote a snapshot: memviz explain --at end {self.one_file()}\n$")

    def test_the_end_waits_for_the_file_of_a_signal(self):
        program = "import os, signal, time, torch\ntorch.allocate(1 << 20)\nsnapshot = torch.cuda.memory._snapshot\n"
        program += "def slow():\n    time.sleep(2)\n    return snapshot()\ntorch.cuda.memory._snapshot = slow\n"
        program += "os.kill(os.getpid(), signal.SIGUSR1)\n"
        for channel in ("1", "0"):
            done = self.run_python(program, ["--signal", "USR1", "--dir", channel], MEMVIZ_RECORD_CHANNEL=channel)
            file = self.one_file(self.folder / "work" / channel)
            self.assertEqual(done.err.count(f"memviz explain --at end {file}\n"), 1, done.err)

    def test_a_signal_leaves_a_file(self):
        program = WAITS.replace("sys.stdin.readline()\n", SEES_SIGNALS + "print('went on')")
        process = self.start_waiting(
            [MEMVIZ, "run", "--signal", "USR1", "--", sys.executable, "-c", program])
        process.stdout.readline()
        process.send_signal(signal.SIGUSR1)
        self.assertRegex(process.stderr.readline(), r"^memviz: process \d+ wrote a snapshot: memviz explain --at end ")
        self.assertRegex(self.one_file().name, r"^signal-\d+-[\d-]+\.pickle$")
        self.assertEqual(self.go_on(process), (0, "went on\n", ""))

    def test_a_signal_before_cuda_is_used_ends_nothing(self):
        program = "print('ready', flush=True)\nimport torch\n" + SEES_SIGNALS
        process = self.start_waiting([MEMVIZ, "run", "--signal", "USR2", "--", sys.executable, "-c", program])
        process.stdout.readline()
        process.send_signal(signal.SIGUSR2)
        self.assertRegex(process.stderr.readline(), r"wrote no snapshot: it has not used CUDA yet\n$")
        self.assertEqual(self.go_on(process), (0, "", ""))

    def test_a_handler_of_the_program_stays(self):
        program = "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: print('mine', flush=True))\n" + WAITS
        program = program.replace("sys.stdin.readline()\n", SEES_SIGNALS)
        process = self.start_waiting([MEMVIZ, "run", "--signal", "USR1", "--", sys.executable, "-c", program])
        process.stdout.readline()
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.stdout.readline(), "mine\n")
        self.assertEqual(self.go_on(process), (0, "", ""))
        self.assertEqual(self.files(), [])

    def test_other_signals_are_refused(self):
        self.assertEqual(self.done([MEMVIZ, "run", "--signal", "TERM", "--", "true"]).returncode, 2)
        done = self.done([MEMVIZ, "run", "--", "sh", "-c", f"MEMVIZ_RECORD_SIGNAL=TERM {sys.executable} -c 'print(1)'"])
        self.assertEqual((done.returncode, done.out), (0, "1\n"))
        self.assertIn("does not answer the signal: ValueError: MEMVIZ_RECORD_SIGNAL=TERM must be one of USR1, USR2", done.err)

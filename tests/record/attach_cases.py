"""`memviz attach`: to a process that memviz recorded, and through gdb or lldb to one that knows nothing of it."""

import json
import os
import pickle
import shutil
import signal
import sys
import time
import unittest

from channel_cases import WAITS, WithRuntime
from checks import why_no_gdb, why_no_lldb
from stage import MEMVIZ, Stage

# Prints what a program could notice of memviz, at the end.
NOTICES = """
def noticed():
    import sys, threading
    page = any(line.startswith('00100000-') for line in open('/proc/self/maps'))
    modules = [name for name in sys.modules if 'memviz' in name]
    paths = [path for path in [*sys.path, *sys.path_importer_cache] if 'memviz-' in path]
    return modules, paths, page, threading.active_count(), torch._state.history, hasattr(torch, '_memviz_history')

def left():
    '''The thread of memviz ends a moment after its answer.'''
    for _ in range(100):
        if noticed()[:4] == ([], [], False, 1): break
        time.sleep(0.05)
    return noticed()
"""
NOTHING = "([], [], False, 1, None, False)\n"
# Input ends them (go_on), so that no machine is too slow for a test.
HEAD = "import ctypes, os, select, sys, threading, time, torch\ntorch.allocate(100 << 20)\n" + NOTICES + "print('ready', flush=True)\n"
SLEEPS = HEAD + "select.select([sys.stdin], [], [])\nprint(left())\n"
COMPUTES = HEAD + "while not select.select([sys.stdin], [], [], 0)[0]: pass\nprint(left(), sorted(globals())[-5:])\n"
# A call of C that keeps Python's lock until the test opens the gate.
KEEPS_THE_LOCK = "ctypes.PyDLL(None).read(os.open('gate', os.O_RDWR), ctypes.create_string_buffer(1), 1)\n"
# Python executes memviz's text after that call.
HOLDS = HEAD + KEEPS_THE_LOCK + "select.select([sys.stdin], [], [])\nprint(left())\n"


class AttachStage(WithRuntime, Stage):
    def setUp(self):
        super().setUp()
        self.prepare()

    def attach(self, process, *options, **environment):
        return self.done([MEMVIZ, "attach", getattr(process, "pid", process), *options], **environment)

    def python(self, program, **environment):
        """A program that memviz does not record, once it is ready."""
        process = self.start_waiting([sys.executable, "-c", program], **environment)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def snapshot(self, folder="memviz-attach"):
        return pickle.loads(self.one_file(self.folder / "work" / folder).read_bytes())

    def nothing_is_left(self):
        self.assertEqual(os.listdir(self.folder / "tmp"), [])


class AttachByChannel(AttachStage):
    def test_explains_a_snapshot_of_this_moment_and_keeps_it(self):
        process = self.waiting()
        done = self.attach(process)
        file = self.one_file(self.folder / "work" / "memviz-attach")
        self.assertRegex(file.name, rf"^{process.pid}-\d+-\d+\.pickle$")
        self.assertEqual(done.err, f"memviz: the snapshot: memviz-attach/{file.name}\n")
        self.assertIn("GPU 0 at the end of recording: 100 MiB of 100 MiB reserved is in use.", done.out)
        self.assertEqual(self.go_on(process), (0, "", ""))
        self.assertEqual([path for path in os.listdir("/tmp") if path == f"memviz-{os.geteuid()}"], [])

    def test_writes_the_file_and_the_json_that_are_asked_for(self):
        process = self.waiting()
        done = self.attach(process, "-o", "now.pickle", "--json", "-", "--quiet")
        self.assertEqual(json.loads(done.out)["devices"][0]["totals"]["reserved_bytes"], 100 << 20)
        self.assertEqual(done.err, "")
        (self.folder / "work" / "there").mkdir()
        self.attach(process, "-o", "there")
        self.assertEqual(len(os.listdir(self.folder / "work" / "there")), 1)
        self.assertTrue((self.folder / "work" / "now.pickle").exists())

    def test_uses_no_debugger(self):
        done = self.attach(self.waiting(), PATH="/none")
        self.assertEqual(done.returncode, 0, done.err)

    def test_records_for_the_seconds_asked_for(self):
        program = WAITS.replace("sys.stdin.readline()", "import time\nend = time.monotonic() + 3\n")
        program += "while time.monotonic() < end:\n    torch.release(torch.allocate(1 << 20)); time.sleep(0.05)\n"
        program += "sys.stdin.readline()\n"
        process = self.waiting(program)
        began = time.monotonic()
        self.assertEqual(self.attach(process, "--record", "1").returncode, 0)
        self.assertGreater(time.monotonic() - began, 1)
        self.assertGreater(len(self.snapshot()["device_traces"][0]), 10)
        self.assertEqual(self.go_on(process), (0, "", ""))

    def test_all_asks_each_process(self):
        processes = [self.waiting() for _ in range(2)]
        (self.channels / "1").touch()  # no channel
        (self.channels / f"{'0' * len(str(os.stat('/proc/self/ns/pid').st_ino))}-{os.getpid()}").touch()  # of a container
        done = self.attach("--all", "-o", "all", "--brief")
        names = sorted(os.listdir(self.folder / "work" / "all"))
        self.assertEqual(sorted(int(name.split("-")[0]) for name in names), sorted(one.pid for one in processes))
        self.assertEqual(done.out.count("100 MiB reserved is in use"), 2)
        for one in processes:
            self.assertEqual(self.go_on(one), (0, "", ""))
        self.assertIn("no process of yours", self.attach("--all").err)

    def test_all_goes_on_after_a_process_that_cannot_be_asked(self):
        self.waiting()
        other = self.waiting()
        os.kill(other.pid, signal.SIGSTOP)
        done = self.attach("--all")
        os.kill(other.pid, signal.SIGCONT)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"process {other.pid} is stopped: let it continue first, with kill -CONT {other.pid}", done.err)
        self.assertIn("in use", done.out)

    def test_a_socket_of_somebody_else_is_not_asked(self):
        process = self.waiting()
        self.channels.chmod(0o755)
        done = self.attach(process, PATH="/none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("neither gdb nor lldb is in PATH", done.err)

    def test_a_reader_that_a_signal_ends_leaves_no_file(self):
        process = self.waiting()
        reader = self.start([MEMVIZ, "attach", process.pid, "--record", "60"])
        time.sleep(0.7)
        reader.send_signal(signal.SIGINT)
        reader.communicate(timeout=10)
        self.assertEqual(reader.returncode, -signal.SIGINT)
        self.assertEqual(os.listdir(self.folder / "work"), [])
        self.assertEqual(self.attach(process).returncode, 0)

    def test_a_second_reader_waits_for_the_first(self):
        process = self.waiting()
        reader = self.start([MEMVIZ, "attach", process.pid, "--record", "60"])
        time.sleep(0.7)
        self.assertRegex(self.attach(process, "--timeout", "1").err,
                         rf"^memviz: process {process.pid} has executed no Python code for memviz in 1 s: another request is in "
                         r"progress, or its main thread .*\. Nothing is left in it; use --wait to wait until it does\n$")
        reader.send_signal(signal.SIGINT)
        reader.communicate(timeout=10)
        self.assertEqual(self.go_on(process), (0, "", ""))

    def test_a_process_that_ends_meanwhile_is_said_to(self):
        process = self.waiting()
        reader = self.start([MEMVIZ, "attach", process.pid, "--record", "60"])
        time.sleep(0.7)
        self.go_on(process)
        err = reader.communicate(timeout=10)[1]
        self.assertEqual((reader.returncode, err), (1, f"memviz: process {process.pid} ended before it had answered\n"))


@unittest.skipIf(why_no_gdb(), why_no_gdb())
class AttachByDebugger(AttachStage):
    def setUp(self):
        super().setUp()
        os.mkfifo(self.folder / "work" / "gate")

    def open_gate(self):
        (self.folder / "work" / "gate").write_bytes(b"x")

    def test_the_program_notices_nothing_while_it_sleeps(self):
        process = self.python(SLEEPS)
        done = self.attach(process)
        self.assertIsNone(process.poll())
        self.assertEqual(done.returncode, 0, done.err)
        self.assertIn("100 MiB of 100 MiB reserved is in use", done.out)
        self.assertEqual(self.go_on(process), (0, NOTHING, ""))
        self.nothing_is_left()

    def test_the_program_notices_nothing_while_it_computes(self):
        process = self.python(COMPUTES)
        self.assertEqual(self.attach(process).returncode, 0)
        code, out, err = self.go_on(process)
        names = "['select', 'sys', 'threading', 'time', 'torch']\n"
        self.assertEqual((code, out, err), (0, NOTHING.strip() + " " + names, ""))
        self.nothing_is_left()

    def test_a_call_of_c_makes_it_wait_or_give_up(self):
        process = self.python(HOLDS)
        done = self.attach(process, "--timeout", "1")
        self.assertEqual(done.returncode, 1)
        # A slow machine also says that it waits for the debugger.
        self.assertRegex(done.err, rf"(?m)^memviz: process {process.pid} has executed no Python code for memviz in 1 s: its main "
                                   r"thread .*\. Nothing is left in it; use --wait to wait until it does\n\Z")
        self.nothing_is_left()
        waits = self.start([MEMVIZ, "attach", process.pid, "--wait"])
        time.sleep(0.5)
        self.open_gate()
        waits.communicate(timeout=60)
        self.assertEqual(waits.returncode, 0)
        self.assertEqual(self.go_on(process), (0, NOTHING, ""))

    def test_another_thread_that_keeps_pythons_lock_makes_it_wait_without_harm(self):
        held = "thread = threading.Thread(target=lambda: (time.sleep(0.2), " + KEEPS_THE_LOCK.strip() + "))\nthread.start()\nprint('ready'"
        process = self.python(SLEEPS.replace("print('ready'", held).replace("print(left", "thread.join(); print(left"))
        time.sleep(0.4)
        reader = self.start([MEMVIZ, "attach", process.pid, "--timeout", "1"])
        said = reader.stderr.readline()
        self.open_gate()
        reader.communicate(timeout=60)
        self.assertEqual(self.go_on(process), (0, NOTHING, ""))
        self.assertIn(f"waiting for another thread of process {process.pid} to let go of Python's lock", said)
        self.nothing_is_left()

    def test_history_is_on_for_the_seconds_asked_for_and_off_again(self):
        process = self.python(COMPUTES.replace("pass", "torch.release(torch.allocate(1 << 20)); time.sleep(0.05)"))
        self.assertEqual(self.attach(process, "--record", "1").returncode, 0)
        self.assertGreater(len(self.snapshot()["device_traces"][0]), 10)
        self.assertIn(NOTHING.strip(), self.go_on(process)[1])

    def test_history_that_the_program_records_stays_as_it_is(self):
        on = "torch.cuda.memory._record_memory_history(max_entries=7)\nprint('ready'"
        process = self.python(SLEEPS.replace("print('ready'", on).format(4))
        self.assertEqual(self.attach(process, "--record", "1").returncode, 0)
        self.assertEqual(self.go_on(process), (0, NOTHING.replace("None", "'all'"), ""))

    def test_says_what_a_process_without_gpu_memory_lacks(self):
        for program, reason in (
            ("import sys", "it has not imported torch, so PyTorch holds no GPU memory in it"),
            ("import sys, torch", "it has not used CUDA yet, so it holds no GPU memory; attach again later"),
        ):
            process = self.python(program + "\nprint('ready', flush=True)\nsys.stdin.readline()\n")
            done = self.attach(process)
            self.assertEqual((done.returncode, done.err), (1, f"memviz: process {process.pid}: {reason}\n"))
            self.assertEqual(self.go_on(process), (0, "", ""))

    def test_a_signal_ends_memviz_and_leaves_the_program_as_it_was(self):
        process = self.python(HOLDS)
        reader = self.start([MEMVIZ, "attach", process.pid, "--wait"])
        time.sleep(2)
        reader.send_signal(signal.SIGTERM)
        reader.communicate(timeout=20)
        self.assertEqual(reader.returncode, -signal.SIGTERM)
        self.nothing_is_left()
        self.open_gate()
        self.assertEqual(self.go_on(process), (0, NOTHING, ""))

    def test_a_program_that_ends_meanwhile_ends_as_without(self):
        program = "import time, torch\ntorch.allocate(1)\nprint('ready', flush=True)\nend = time.monotonic() + {}\n"
        program += "while time.monotonic() < end: pass\nprint('done')"
        for seconds in (0.1, 0.3, 0.5, 0.7, 2.4):
            process = self.python(program.format(seconds))
            self.assertIn(self.attach(process).returncode, (0, 1))
            self.assertEqual(self.go_on(process), (0, "done\n", ""))

    def test_interrupts_and_handlers_are_the_programs(self):
        handler = "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: print('mine', flush=True))\n"
        process = self.python(handler + COMPUTES)
        reader = self.start([MEMVIZ, "attach", process.pid])
        for _ in range(20):
            process.send_signal(signal.SIGUSR1)
            time.sleep(0.05)
        reader.communicate(timeout=30)
        self.assertEqual(reader.returncode, 0)
        code, out, err = self.go_on(process)
        self.assertEqual((code, err), (0, ""))
        self.assertGreater(out.count("mine"), 1)

    def test_a_program_that_is_stopped_or_debugged_is_left_alone(self):
        process = self.python(SLEEPS)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        self.assertIn("is stopped", self.attach(process).err)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(self.go_on(process), (0, NOTHING, ""))


@unittest.skipIf(why_no_lldb(), why_no_lldb())
class AttachByLldb(AttachStage):
    """gdb is preferred, so it is not in PATH."""

    def setUp(self):
        super().setUp()
        self.path = self.folder / "debuggers"
        self.path.mkdir()
        (self.path / "lldb").symlink_to(shutil.which("lldb"))

    def attach(self, process, *options, **environment):
        return super().attach(process, *options, PATH=str(self.path), **environment)

    def test_the_program_notices_nothing_while_it_computes(self):
        process = self.python(COMPUTES)
        done = self.attach(process, "--wait")
        self.assertEqual(done.returncode, 0, done.err)
        self.assertIn("100 MiB of 100 MiB reserved is in use", done.out)
        code, out, err = self.go_on(process)
        self.assertEqual((code, err), (0, ""))
        self.assertIn(NOTHING.strip(), out)
        self.nothing_is_left()

    def test_a_program_that_sleeps_again_and_again_answers(self):
        process = self.python(COMPUTES.replace("[], 0)", "[], 0.05)"))
        self.assertEqual(self.attach(process, "--wait").returncode, 0)
        self.assertIn(NOTHING.strip(), self.go_on(process)[1])
        self.nothing_is_left()

    def test_history_is_on_for_the_seconds_asked_for_and_off_again(self):
        process = self.python(COMPUTES.replace("pass", "torch.release(torch.allocate(1 << 20)); time.sleep(0.05)"))
        self.assertEqual(self.attach(process, "--record", "1", "--wait").returncode, 0)
        self.assertGreater(len(self.snapshot()["device_traces"][0]), 10)
        self.assertIn(NOTHING.strip(), self.go_on(process)[1])

    def test_a_call_of_c_makes_it_give_up_and_leaves_the_program_as_it_was(self):
        os.mkfifo(self.folder / "work" / "gate")
        process = self.python(HOLDS)
        done = self.attach(process, "--timeout", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has executed no Python code for memviz in 1 s", done.err)
        self.nothing_is_left()
        (self.folder / "work" / "gate").write_bytes(b"x")
        self.assertEqual(self.go_on(process), (0, NOTHING, ""))

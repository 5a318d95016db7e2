"""What `memviz attach` says where it cannot attach: of the process, of the system, of the debugger."""

import ctypes
import os
import shutil
import subprocess
import sys
import time
import unittest

from attach_cases import AttachStage, NOTHING, SLEEPS
from stage import MEMVIZ


class WhatIsMissing(AttachStage):
    """One sentence for each, and exit code 1."""

    def refused(self, process, *options, **environment):
        done = self.attach(process, *options, **environment)
        self.assertEqual((done.returncode, done.out, done.err.count("\n")), (1, "", 1), done.err)
        self.nothing_is_left()
        return done.err

    def test_a_process(self):
        self.assertIn("there is no process 4194303 here", self.refused(4194303))

    def test_a_process_id(self):
        for word in ("python", "0", "-3", "1.5", ""):
            self.assertEqual(self.attach(word).returncode, 2, word)
        self.assertEqual(self.done([MEMVIZ, "attach"]).returncode, 2)
        self.assertEqual(self.done([MEMVIZ, "attach", "--all", "4"]).returncode, 2)
        self.assertEqual(self.done([MEMVIZ, "attach", "4", "--record", "0"]).returncode, 2)
        self.assertEqual(self.done([MEMVIZ, "attach", "4", "-o", "-"]).returncode, 2)

    def test_python(self):
        process = self.start_waiting(["sleep", "60"])
        self.assertIn(f"process {process.pid} is not a Python process\n", self.refused(process))

    def test_a_debugger(self):
        process = self.python(SLEEPS)
        self.assertIn("memviz does not record it, and neither gdb nor lldb is in PATH: install gdb, or start the job with "
                      "memviz run\n", self.refused(process, PATH="/none"))
        self.assertEqual(self.go_on(process), (0, NOTHING, ""))

    def test_what_a_debugger_needs(self):
        process = self.python(SLEEPS)
        no_right = ("the system does not let a debugger attach to it (a container needs the capability SYS_PTRACE): start the job with "
                    "memviz run, which needs no debugger")
        no_symbols = "the debugger finds no functions of Python in it: its interpreter has no symbols"
        for debugger, says, reason in (
            ("gdb", "ptrace: Operation not permitted.\nNo symbol \"PyRun_SimpleString\" in current context.", no_right),
            ("lldb", "(lldb) process attach --pid 4\nerror: attach failed: Operation not permitted", no_right),
            ("gdb", "warning: slow\nNo symbol \"PyRun_SimpleString\" in current context.", no_symbols),
            ("lldb", "error: <user expression 3>:1:1: use of undeclared identifier 'PyRun_SimpleString'", no_symbols),
            ("gdb", "warning: slow\nNo symbol \"mmap\" in current context.\nmore", 'the debugger said: No symbol "mmap" in current context.'),
            ("lldb", "(lldb) memory write\nerror: not writable\nmore", "the debugger said: error: not writable"),
            ("gdb", "first\nsecond", "the debugger said: first"),
            ("gdb", "", "the debugger said: nothing"),
            # Ctrl-C must not end it.
            ("gdb", "$(read -r pid _ _ _ group _ < /proc/$$/stat; echo group $((group - pid)))", "the debugger said: group 0"),
        ):
            with self.subTest(says=says):
                path = self.folder / "debuggers"
                path.mkdir()
                (path / debugger).write_text(f"#!/bin/sh\n{shutil.which('cat')} <<END\n{says}\nEND\n")
                (path / debugger).chmod(0o755)
                self.assertEqual(self.refused(process, PATH=str(path)), f"memviz: cannot attach to process {process.pid}: {reason}\n")
                shutil.rmtree(path)
        self.assertEqual(self.go_on(process), (0, NOTHING, ""))

    def test_the_end_of_another_debugger(self):
        process = self.python(SLEEPS)
        seize, interrupt, detach = 0x4206, 0x4207, 17
        if ctypes.CDLL(None).ptrace(seize, process.pid, None, None):
            self.skipTest("processes may not trace others")
        end = f"by process {os.getpid()}: end that one first\n"
        self.assertEqual(self.refused(process), f"memviz: process {process.pid} is being debugged {end}")
        ctypes.CDLL(None).ptrace(interrupt, process.pid, None, None)
        os.waitpid(process.pid, 0)
        self.assertEqual(self.refused(process), f"memviz: process {process.pid} is stopped by a debugger, {end[3:]}")
        ctypes.CDLL(None).ptrace(detach, process.pid, None, None)
        self.assertEqual(self.go_on(process), (0, NOTHING, ""))

    def test_an_end_that_has_not_come(self):
        process = self.start_waiting(["true"])
        time.sleep(0.2)
        self.assertIn(f"process {process.pid} has ended", self.refused(process))

    @unittest.skipUnless(os.geteuid() == 0, "takes root")
    def test_the_same_user(self):
        process = self.start_waiting(["sleep", "60"])
        shutil.copy(MEMVIZ, self.runtime / "memviz")
        self.runtime.chmod(0o755)
        words = [self.runtime / "memviz", "attach", str(process.pid)]
        done = subprocess.run(words, capture_output=True, text=True, preexec_fn=lambda: os.setuid(65534), cwd="/")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"memviz: process {process.pid} belongs to another user: use sudo -u '#0' memviz attach "
                                      f"{process.pid}\n")

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "takes root and unshare")
    def test_the_same_container(self):
        process = self.start_waiting(["unshare", "-m", sys.executable, "-c", "import sys; print('ready', flush=True); sys.stdin.read()"])
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.assertIn(f"process {process.pid} runs in a container: run memviz in that container", self.refused(process))

"""`memviz run`, memviz_torch.record() and `memviz rehearse` as neighbours: programs end, write and leave behind what they
do without them, wherever they run.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from stage import FAKE_TORCH, MEMVIZ, PACKAGE, Stage

OTHER_USERS = (65534, 65533)

# Each is a separate file, so that multiprocessing can start from it. `record` does nothing in the plain run.
BEGIN = """
import atexit, contextlib, multiprocessing, os, sys, threading
atexit.register(print, "registered first")
import torch
record = contextlib.nullcontext
if os.environ.get("RECORD_TO"):
    import memviz_torch
    record = lambda: memviz_torch.record(os.environ["RECORD_TO"])

def work(name, code=0):
    torch.allocate(1 << 20)
    with open(name, "w") as file:
        file.write(name)
    print(name, flush=True)
    sys.exit(code)

def main():
    torch.allocate(1 << 20)
"""
END = """
if __name__ == "__main__":
    with record():
        main()
"""
PROGRAMS = {
    "end": "print('done')",
    "fork": """
        child = os.fork()
        if child == 0:
            work("child", 4)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))""",
    "fork at once": """
        child = os.fork()
        if child == 0:
            os._exit(6)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))""",
    "spawn": """
        for way in ("spawn", "forkserver", "fork"):
            child = multiprocessing.get_context(way).Process(target=work, args=(way, 7))
            child.start()
            child.join()
            print(way, child.exitcode)""",
    "threads": """
        threads = [threading.Thread(target=work, args=("thread %d" % number,)) for number in range(4)]
        for thread in threads:
            thread.start()
            thread.join()""",
    "last thread": """
        threading.Timer(0.1, work, ("late",)).start()
        print('main is done', flush=True)""",
    "sys.exit": "sys.exit(3)",
    "sys.exit with words": "sys.exit('no data')",
    "os._exit": """
        sys.stdout.flush()
        os._exit(5)""",
    "atexit": """
        atexit.register(lambda: print('of the program', flush=True))
        atexit.register(lambda: os._exit(9))
        atexit.register(print, 'last')""",
    "error": "{}['key']",
    "killed": "os.kill(os.getpid(), 15)",
}


def program_of(body):
    lines = "\n".join(line[4:] if line.startswith("        ") else line and "    " + line for line in body.splitlines())
    return BEGIN + lines + END


class Neighbours(Stage):
    def setUp(self):
        super().setUp()
        self.environment.update(MEMVIZ_PROGRAM=MEMVIZ, PYTHONPATH=os.pathsep.join([PACKAGE, FAKE_TORCH]))
        self.folder.chmod(0o755)
        (self.folder / "outside").mkdir()
        self.ways = {
            "run": ([MEMVIZ, "run", "--"], {}),
            "record": ([], {"RECORD_TO": str(self.folder / "outside" / "recorded-{pid}.pickle")}),
        }
        if (pathlib.Path(MEMVIZ).parent / "rehearsal" / "libmemviz_rehearsal.so").exists():
            answers = ["-o", self.folder / "outside" / "snapshots", "--json", self.folder / "outside" / "answer.json"]
            self.ways["rehearse"] = ([MEMVIZ, "rehearse", "--quiet", *answers, "--"], {})

    def outcome(self, body, before=(), environment={}, work=None, **options):
        """The exit code, both streams and the files of a program in an empty folder."""
        work = work or self.folder / "work"
        for path in work.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        script = self.folder / "outside" / "program.py"
        script.write_text(program_of(body))
        done = subprocess.run(
            [str(word) for word in [*before, sys.executable, script]],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=work, timeout=120,
            env={**self.environment, **environment}, **options,
        )
        files = {str(path.relative_to(work)): path.read_text() for path in work.rglob("*") if path.is_file()}
        # memviz that waits for a program ends as shells do.
        code = 128 - done.returncode if done.returncode < 0 else done.returncode
        return code, done.stdout, done.stderr, files

    def check_equal(self, body, way, plain, **options):
        before, environment = self.ways[way]
        seen = self.outcome(body, before, {**options.pop("environment", {}), **environment}, **options)
        self.assertEqual(seen, plain)

    def test_a_program_ends_as_without(self):
        for name, body in PROGRAMS.items():
            plain = self.outcome(body)
            for way in self.ways:
                with self.subTest(name, way=way):
                    self.check_equal(body, way, plain)
        self.assertEqual(os.listdir(self.folder / "tmp"), [])

    def test_eight_at_once_share_one_cache(self):
        body = PROGRAMS["spawn"]
        plain = self.outcome(body)
        script = self.folder / "outside" / "program.py"
        for way, (before, environment) in self.ways.items():
            started = []
            for number in range(8):
                work = self.folder / f"{way}-{number}"
                work.mkdir()
                words = [str(work / "snapshots") if str(word).endswith("snapshots") else word for word in before]
                words = [str(work / "answer") if str(word).endswith("answer.json") else word for word in words]
                own = {name: f"{work}/recorded" for name in environment}
                started.append(subprocess.Popen(
                    [str(word) for word in [*words, sys.executable, script]], cwd=work, env={**self.environment, **own},
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
            for process in started:
                seen = process.communicate(timeout=120)
                with self.subTest(way):
                    self.assertEqual((process.returncode, *seen), plain[:3])
        self.assertEqual(len(list((self.folder / "home" / ".cache" / "memviz").iterdir())), 1)
        self.assertEqual(os.listdir(self.folder / "tmp"), [])


@unittest.skipUnless(os.geteuid() == 0 and sys.version_info >= (3, 9), "takes root")
class WhereItRuns(Neighbours):
    """Users other than root, for whom a folder can be read-only, and a disk that can be full."""

    test_a_program_ends_as_without = test_eight_at_once_share_one_cache = None

    def setUp(self):
        super().setUp()
        self.environment["RECORD_TO"] = ""
        for path in ("work", "tmp", "outside"):
            (self.folder / path).chmod(0o777)
        try:
            words = [sys.executable, "-c", f"open({MEMVIZ!r}), open({FAKE_TORCH!r} + '/torch/__init__.py')"]
            subprocess.run(words, check=True, stderr=subprocess.DEVNULL, **self.as_user(OTHER_USERS[0]))
        except (subprocess.CalledProcessError, PermissionError):
            self.skipTest("others cannot read this folder, or Python's")

    def as_user(self, number):
        return dict(user=number, group=number, extra_groups=[])

    def check_all(self, bodies=("fork", "sys.exit"), **options):
        for name in bodies:
            plain = self.outcome(PROGRAMS[name], **options)
            for way in self.ways:
                with self.subTest(name, way=way):
                    self.check_equal(PROGRAMS[name], way, plain, **options)

    def test_a_home_that_is_read_only_or_missing(self):
        home = self.folder / "home"
        home.mkdir(mode=0o555)
        os.chown(home, OTHER_USERS[0], OTHER_USERS[0])
        for where in (str(home), str(self.folder / "none"), "/dev/null"):
            self.check_all(environment={"HOME": where}, **self.as_user(OTHER_USERS[0]))
        self.assertEqual(list(home.iterdir()), [])

    def test_two_users_with_one_home_and_with_one_cache(self):
        home = self.folder / "home"
        home.mkdir()
        os.chown(home, OTHER_USERS[0], OTHER_USERS[0])
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        for variables in ({"HOME": str(home)}, {"XDG_CACHE_HOME": str(shared)}):
            for user in OTHER_USERS:
                for path in (self.folder / "outside").iterdir():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                self.check_all(environment=variables, **self.as_user(user))

    def test_a_full_disk(self):
        with self.full_disk() as disk:
            variables = {"HOME": str(disk), "TMPDIR": str(disk)}
            self.ways.pop("rehearse", None)  # which needs a place for the files of the made-up GPU
            self.ways["record"][1]["RECORD_TO"] = str(disk / "recorded-{pid}.pickle")
            for name in ("fork at once", "sys.exit", "os._exit"):
                plain = self.outcome(PROGRAMS[name], environment=variables)
                for way, (before, own) in self.ways.items():
                    with self.subTest(name, way=way):
                        code, out, err, files = self.outcome(PROGRAMS[name], before, {**variables, **own})
                        self.assertEqual((code, out, files), (plain[0], plain[1], plain[3]))
                        self.assertNotIn("Traceback", err)
            self.assertLessEqual(set(os.listdir(disk)), {"filler", ".cache"})

    @contextlib.contextmanager
    def full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("takes a mount")
        try:
            with contextlib.suppress(OSError), open(disk / "filler", "wb", buffering=0) as file:
                while True:
                    file.write(b"x" * 4096)
            yield disk
        finally:
            subprocess.run(["umount", disk], check=True)

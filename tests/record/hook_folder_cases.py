"""The folder of the hook in the cache: files that others may have changed are not run."""

import os
import py_compile
import shlex
import sys
import unittest

from stage import FITS, TOO_MUCH, Stage

ALIEN = "import sys\nsys.stdout.write('ALIEN\\n')\ndef install(): pass\n"
# The memory runs out in a process that a process of the program starts.
CHILD = f"import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', {TOO_MUCH!r}]).returncode)"


class HookFolder(Stage):
    def setUp(self):
        super().setUp()
        del self.environment["PYTHONDONTWRITEBYTECODE"]
        self.cache = self.folder / "home" / ".cache"

    def hook_of_a_run(self):
        """Returns the folder that a Python under `memviz run` finds first on its path."""
        done = self.run_python(FITS + "import os; print(os.environ['PYTHONPATH'].split(os.pathsep)[0])")
        self.assertEqual((done.returncode, done.err), (0, ""))
        *more, hook = done.out.splitlines()
        self.assertEqual(more, [])
        return hook

    def cached_hook(self):
        self.hook_of_a_run()
        (hook,) = (self.cache / "memviz").iterdir()
        return hook

    def test_is_used_again_whatever_the_umask_is(self):
        for umask in (0o002, 0o077, 0):
            before = os.umask(umask)
            try:
                hook = self.cached_hook()
                self.assertEqual([self.hook_of_a_run() for _ in range(2)], [str(hook)] * 2)
            finally:
                os.umask(before)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_keeps_no_bytecode(self):
        self.assertEqual(list(self.cached_hook().rglob("*.pyc")), [])

    def test_that_others_may_write_to_is_made_anew(self):
        for inner in ("", "memviz_recording", "sitecustomize.py", "memviz_recording/job.py"):
            for mode in (0o775, 0o777):
                hook = self.cached_hook()
                (hook / inner).chmod(mode)
                self.assertEqual(self.cached_hook(), hook)
                self.assertEqual((hook / inner).stat().st_mode & 0o022, 0, (inner, oct(mode)))

    def test_with_a_file_too_many_is_made_anew(self):
        def compiled(path):
            source = self.folder / "alien.py"
            source.write_text(ALIEN)
            unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
            py_compile.compile(str(source), cfile=str(path), invalidation_mode=unchecked)

        bytecode = f"__pycache__/job.{sys.implementation.cache_tag}.pyc"
        for name in ("json.py", "memviz_recording/job/__init__.py", "memviz_recording/" + bytecode):
            file = self.cached_hook() / name
            if not file.parent.is_dir():
                if file.parent.exists():
                    file.parent.unlink()
                file.parent.mkdir()
            compiled(file) if name.endswith(".pyc") else file.write_text(ALIEN)
            self.cached_hook()
            self.assertFalse(file.exists(), name)

    def test_that_is_a_link_is_made_anew(self):
        hook = self.cached_hook()
        for path in (hook, hook / "memviz_recording", hook / "sitecustomize.py"):
            path.rename(self.folder / "elsewhere")
            path.symlink_to(self.folder / "elsewhere")
            self.assertEqual(self.cached_hook(), hook)
            self.assertFalse(path.is_symlink(), path)
            (self.folder / "elsewhere").rename(self.folder / path.name)

    def check_is_in_memory(self):
        self.assertRegex(self.hook_of_a_run(), r"^/proc/\d+/fd/\d+$")
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_in_a_folder_that_others_may_write_to_is_in_memory(self):
        for mode in (0o775, 0o777):
            self.hook_of_a_run()
            self.cache.chmod(mode)
            self.check_is_in_memory()
        self.cache.chmod(0o1777)  # as /tmp: what is in it belongs to its owner
        self.assertEqual(os.path.dirname(self.hook_of_a_run()), str(self.cache / "memviz"))

    def test_memvizs_own_part_of_the_cache_is_closed_to_others(self):
        own = self.cached_hook().parent
        own.chmod(0o777)
        self.assertEqual(os.path.dirname(self.hook_of_a_run()), str(own))
        self.assertEqual(own.stat().st_mode & 0o022, 0)

    def test_a_link_to_the_cache_is_followed_once(self):
        there = self.folder / "there"
        there.mkdir()
        self.cache.parent.mkdir()
        self.cache.symlink_to(there)
        self.assertEqual(os.path.dirname(self.hook_of_a_run()), os.path.realpath(there / "memviz"))
        there.chmod(0o777)
        self.check_is_in_memory()

    def test_without_a_cache_a_run_records_and_leaves_nothing(self):
        (self.folder / "home").write_text("not a folder")
        self.check_is_in_memory()
        snapshots = 0
        for words in ([sys.executable], ["sh", "-c", f"{shlex.quote(sys.executable)} \"$@\"; exit $?", "sh"]):
            done = self.run_program([*words, "-c", CHILD])
            self.assertEqual(done.returncode, 1, done.err)
            self.assertIn("OutOfMemoryError", done.err)
            snapshots += 1
            self.assertEqual(len(self.files()), snapshots, done.err)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    @unittest.skipUnless(os.geteuid() == 0, "takes root")
    def test_of_another_user_is_not_used(self):
        other = 65534
        hook = self.cached_hook()
        for path in (hook / "memviz_recording" / "job.py", hook / "memviz_recording", hook):
            os.chown(path, other, other)
            self.assertEqual(self.cached_hook(), hook)
            self.assertEqual(path.stat().st_uid, 0)
        for path in (self.cache / "memviz", self.cache, self.cache.parent):
            os.chown(path, other, other)
            self.check_is_in_memory()
            os.chown(path, 0, 0)

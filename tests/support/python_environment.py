"""A virtual environment outside the source tree, with the packages that a requirements.txt names."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")


class PythonEnvironment:
    def __init__(self, name, requirements, module):
        """`module`: one that it lets import; `requirements`: the file that it was made from."""
        self.requirements = requirements
        self.module = module
        self.venv = CACHE / "memviz" / name
        self.python = self.venv / "bin" / "python"

    def is_installed(self):
        """Whether the environment has what requirements.txt asks for, and runs."""
        installed = self.venv / self.requirements.name
        return (
            installed.is_file()
            and installed.read_bytes() == self.requirements.read_bytes()
            and subprocess.run([self.python, "-c", f"import {self.module}"], stderr=subprocess.DEVNULL).returncode == 0
        )

    def enter(self, *modules):
        """Goes on with the environment's Python where this one lacks a module. Ends with 77, which says "skipped" to ctest, or
        with MEMVIZ_NEED_BROWSER as a failure, where both do."""
        if all(map(importlib.util.find_spec, modules)):
            return
        if self.is_installed() and sys.prefix != str(self.venv):
            os.execv(self.python, [str(self.python), "-B", *sys.argv])
        print(f"skipped: no {' or no '.join(modules)} (`./run test` installs them)")
        sys.exit(1 if os.environ.get("MEMVIZ_NEED_BROWSER") else 77)

    def install(self):
        print(f"memviz: installing {self.module} for the tests into {self.venv}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", self.venv], check=True)
        pip = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--requirement", self.requirements], check=True)
        # Written last, so that an interrupted installation is not mistaken for a complete one.
        shutil.copy(self.requirements, self.venv)

    def install_if_missing(self):
        if self.is_installed():
            return
        try:
            self.install()
        except subprocess.CalledProcessError:
            sys.exit(f"memviz: {self.module} could not be installed; `ctest --preset default` runs the tests that do without")

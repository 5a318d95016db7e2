"""Where the browser tests find Playwright and Chromium.

Playwright lives in a virtual environment outside the source tree; `python3 environment.py` makes it. Chromium is the
system's own: Playwright's downloads are not used.
"""

import os
import pathlib
import shutil
import subprocess
import sys

REQUIREMENTS = pathlib.Path(__file__).with_name("requirements.txt")
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
VENV = CACHE / "memviz" / "browser-tests"
PYTHON = VENV / "bin" / "python"


def chromium():
    """The path of the system's Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def is_installed():
    """Whether the environment holds what requirements.txt asks for, and runs."""
    installed = VENV / REQUIREMENTS.name
    return (
        installed.is_file()
        and installed.read_bytes() == REQUIREMENTS.read_bytes()
        and subprocess.run([PYTHON, "-c", "import playwright"], stderr=subprocess.DEVNULL).returncode == 0
    )


def install():
    print(f"memviz: installing Playwright for the browser tests into {VENV}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--requirement", REQUIREMENTS], check=True)
    # Written last: a broken-off installation is not taken for a whole one.
    shutil.copy(REQUIREMENTS, VENV)


if __name__ == "__main__" and not is_installed():
    try:
        install()
    except subprocess.CalledProcessError:
        sys.exit("memviz: Playwright could not be installed; `ctest --preset default` runs the tests that do without")

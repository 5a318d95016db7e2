"""Where the browser tests find Playwright and Chromium.

Playwright lives in a virtual environment outside the source tree; `python3 environment.py` makes it. Chromium is the
system's own: Playwright's downloads are not used.
"""

import pathlib
import shutil
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from python_environment import PythonEnvironment  # noqa: E402

ENVIRONMENT = PythonEnvironment("browser-tests", pathlib.Path(__file__).with_name("requirements.txt"), "playwright")
PYTHON = ENVIRONMENT.python
is_installed = ENVIRONMENT.is_installed


def chromium():
    """Returns the path of the system's Chromium, or None: if there is one, that without windows and menus, which takes a
    third of the time."""
    paths = map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))
    return next(filter(None, paths), None)


if __name__ == "__main__":
    ENVIRONMENT.install_if_missing()

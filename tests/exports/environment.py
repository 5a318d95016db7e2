"""Where the tests of exports find their readers: in a virtual environment that `python3 environment.py` creates."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from python_environment import PythonEnvironment  # noqa: E402

ENVIRONMENT = PythonEnvironment("export-tests", pathlib.Path(__file__).with_name("requirements.txt"), "perfetto")

if __name__ == "__main__":
    ENVIRONMENT.install_if_missing()

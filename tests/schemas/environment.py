"""Where the tests of schemas find jsonschema: in a virtual environment that `python3 environment.py` creates."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from python_environment import PythonEnvironment  # noqa: E402

ENVIRONMENT = PythonEnvironment("schema-tests", pathlib.Path(__file__).with_name("requirements.txt"), "jsonschema")

if __name__ == "__main__":
    ENVIRONMENT.install_if_missing()

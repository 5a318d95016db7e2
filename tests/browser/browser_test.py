"""Runs the browser tests: `browser_test.py MEMVIZ [unittest's arguments]`.

Exit code 77 says "skipped" to ctest; with MEMVIZ_NEED_BROWSER set, what is missing is a failure instead.
"""

import os
import sys

import environment

SKIPPED = 77


def missing():
    """Returns why the tests cannot run, or None."""
    if not environment.chromium():
        return "no chromium on this machine"
    if not environment.is_installed():
        return "no Playwright (`./run test` installs it)"
    return None


def main():
    if why := missing():
        print(f"skipped: {why}")
        sys.exit(1 if os.environ.get("MEMVIZ_NEED_BROWSER") else SKIPPED)
    os.environ["MEMVIZ_BINARY"] = os.path.abspath(sys.argv[1])
    here = os.path.dirname(os.path.abspath(__file__))
    discover = [environment.PYTHON, "-m", "unittest", "discover", "-s", here, "-p", "*_cases.py", *sys.argv[2:]]
    os.execv(environment.PYTHON, [str(word) for word in discover])


if __name__ == "__main__":
    main()

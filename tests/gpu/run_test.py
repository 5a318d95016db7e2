"""run.sh on a machine that has nothing but a shell and a Python without torch: what it lacks is in the results.

usage: run_test.py MEMVIZ
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

RUN = pathlib.Path(__file__).resolve().parent / "run.sh"
TOOLS = "awk bash cat cp date dirname env find grep head ls mkdir mv nproc rm sed sort tail tar tee timeout touch wc".split()
STEPS = {"build_inject", "build_plain", "build_libtorch", "inject", "tests", "device_in_python", "rehearsed",
         "recorder_in_python", "ranks", "malloc_async", "memviz_record", "overhead"}


def main():
    memviz = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        for tool in TOOLS:
            (folder / "bin" / tool).symlink_to(shutil.which(tool))
        # Without the packages of this Python, which may include torch.
        python = folder / "bin" / "python3"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
        python.chmod(0o755)
        done = subprocess.run([RUN, folder / "out", "--memviz", memviz], env={"PATH": str(folder / "bin")}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        assert done.returncode == 0, done.stdout
        results = json.loads((folder / "out" / "results.json").read_text())
        assert set(results["left_out"]) == STEPS and results["steps"] == {}, results
        assert results["left_out"]["build_plain"].startswith("no cmake, no C++ compiler"), results
        assert results["left_out"]["rehearsed"].startswith("no torch: "), results
    print("run.sh: well")


main()

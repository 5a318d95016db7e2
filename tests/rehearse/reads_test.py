#!/usr/bin/env python3
"""A line of the program that reads without end is named while it runs.

usage: reads_test.py MEMVIZ SOURCE
"""

import contextlib
import io
import os
import pathlib
import sys
import types

sys.path.insert(0, str(pathlib.Path(sys.argv[2]) / "src/hooks/rehearse"))

from memviz_rehearsal_reads import Reads, line_of_program, place_text  # noqa: E402

TORCH = types.SimpleNamespace(__file__="/lib/site-packages/torch/__init__.py")


def run_as(file, text, **names):
    """Executes Python as if it were in that file."""
    exec(compile(text, file, "exec"), names)  # pylint: disable=exec-used


def read_by(reads, times, file="/home/me/train.py"):
    """Reads `times` times in line 2 of a file."""
    run_as(file, "for _ in range(times):\n  on_read()\n", on_read=reads.on_read, times=times)


def main():
    logged = []
    reads = Reads(TORCH, lambda event, **facts: logged.append((event, facts)))
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        for _ in range(3):
            read_by(reads, 9_999)
            reads.on_step()  # training reads its loss in each step
        assert errors.getvalue() == "", errors.getvalue()
        read_by(reads, 20_000, "/lib/site-packages/transformers/generation/utils.py")
    assert errors.getvalue().count("\n") == 1, errors.getvalue()
    assert "read 10,000 times at generation/utils.py:2: it may wait for a value" in errors.getvalue(), errors.getvalue()
    logged.clear()
    reads.log()
    lines = [{"line": "train.py:2", "count": 29_997}, {"line": "generation/utils.py:2", "count": 20_000}]
    assert logged == [("reads", {"lines": lines})], logged
    for line in range(3_000):  # a program of many lines
        run_as("/home/me/long.py", "\n" * line + "on_read()", on_read=reads.on_read)
    assert len(reads._counts) == 1_000, len(reads._counts)
    # Frames of PyTorch are skipped.
    found = []
    names = {"keep": lambda: found.append(line_of_program(sys._getframe(1), TORCH))}
    inner = compile("keep()", os.path.join(os.path.dirname(TORCH.__file__), "_tensor.py"), "exec")
    run_as("/home/me/eval.py", "\n\nrun(inner, names)", run=exec, inner=inner, names=names)
    assert place_text(found[0]) == "eval.py:3", found
    assert place_text(None) == "in a thread of PyTorch's"


main()

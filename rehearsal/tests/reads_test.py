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

sys.path.insert(0, str(pathlib.Path(sys.argv[2]) / "rehearsal/hook"))

from memviz_rehearsal.values import decisions  # noqa: E402
from memviz_rehearsal.values.reads import Reads, line_of_program, place_text  # noqa: E402

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
    assert place_text(None) == "a thread of PyTorch's"
    check_operators()
    check_notes()
    check_decisions()


def check_operators():
    """Which reads may decide: by the operators on the stack, and by what is known of the numbers."""
    nothing, fraction, integer = (lambda way: None), (lambda way: True), (lambda way: False)
    scalar, copy = ["_local_scalar_dense", "item"], ["copy_", "_to_copy", "to_dtype_layout"]
    cases = [
        (scalar, nothing, True),  # bool(), a slice, range()
        (scalar, integer, True),
        (scalar, fraction, False),  # a loss
        (copy, nothing, False),
        (copy, fraction, False),
        (copy, integer, True),  # lengths
        (["nonzero", "index_Tensor"], fraction, True),
        (["_local_scalar_dense", "item", "_unique2"], fraction, True),
        (["_local_scalar_dense", "item", "_linalg_check_errors", "linalg_inv"], nothing, False),
        ([], nothing, False),  # not by PyTorch
    ]
    for operators, has_fraction, expected in cases:
        assert decisions.may_decide(operators, has_fraction) == expected, (operators, expected)
    # A condition is read as a scalar, whatever number was noted before it.
    assert decisions.may_decide([*scalar, "is_nonzero"], nothing)
    assert not any("operator" in name for name in decisions.Operators()())  # a stack without an operator


class Tensor:
    """With the methods of the class below it, as torch.Tensor has them of TensorBase."""

    class Base:
        is_cuda = True

        def __init__(self, is_floating_point):
            self.dtype = types.SimpleNamespace(is_floating_point=is_floating_point, is_complex=False)

        def item(self):
            return self.read()

        __float__ = tolist = cpu = to = copy_ = item


def check_notes():
    """The type is noted where a method is taken, for the next read of that line alone; the method is the same one."""
    tensor_class = type("Tensor", (Tensor.Base,), {})
    item = tensor_class.item
    decisions.install(types.SimpleNamespace(Tensor=tensor_class))
    assert tensor_class.item is item
    found = []
    loss, count = tensor_class(True), tensor_class(False)
    tensor_class.read = lambda self: found.append(decisions.noted(sys._getframe(2))("scalar"))
    names = {"loss": loss, "count": count}
    run_as("/home/me/train.py", "loss.item(); count.item()\nfloat_ = loss.item\ncount.item()", **names)
    assert found == [True, False, False], found
    found.clear()
    run_as("/home/me/train.py", "loss.item\nread(0)", read=tensor_class.read, **names)
    assert found == [None], found


def check_decisions():
    """They are logged apart, the least known first, and a line that waits for a value is handed over."""
    logged, waiting = [], []
    reads = Reads(TORCH, lambda event, **facts: logged.append((event, facts)), lambda *facts: waiting.append(facts))
    for knowledge, times in (("known", 3), ("made up", 1), ("guessed", 2), ("condition", 1), ("unknown", 1)):
        reads.knowledge = lambda knowledge=knowledge: knowledge
        run_as(f"/home/me/{knowledge}.py", "for _ in range(times): count()", count=reads.count_caller, times=times)
    reads.log()
    ((event, facts),) = logged
    lines = [(line["line"], line["count"], line["unknown"], line["made_up"], line["guessed"]) for line in facts["lines"]]
    expected = [("unknown.py:1", 1, 1, 0, 0), ("guessed.py:1", 2, 0, 2, 2), ("made up.py:1", 1, 0, 1, 0)]
    expected += [("known.py:1", 3, 0, 0, 0), ("condition.py:1", 1, 0, 0, 0)]
    assert (event, lines) == ("decisions", expected), logged
    for steps in (2, 1):
        for _ in range(steps):
            run_as("/home/me/wait.py", "while not waiting and times: times -= 1; count()", count=reads.count_caller, times=9_999, waiting=waiting)
            reads.on_step()
    assert waiting == [], waiting
    run_as("/home/me/wait.py", "while not waiting: count()", count=reads.count_caller, waiting=waiting)
    assert waiting == [("wait.py:1", 10_000)], waiting


main()

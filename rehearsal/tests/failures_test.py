"""A failure of the hook is logged at once, and its count at the end, and so is what it does not find; the program goes on.

usage: failures_test.py MEMVIZ SOURCE
"""

import json
import os
import pathlib
import sys
import tempfile

folder = tempfile.TemporaryDirectory()
LOG = pathlib.Path(folder.name, "log")
os.environ["MEMVIZ_REHEARSAL_HOOK"] = json.dumps({"log": str(LOG)})
sys.path.insert(0, str(pathlib.Path(sys.argv[2], "rehearsal/hook")))

from memviz_rehearsal import journal  # noqa: E402


def fails(number):
    raise ValueError(number)


def check_missing():
    found = [journal.is_there(json, name) for name in ("dumps", "dumped")]
    if found != [True, False] or logged()[-1:] != [("this version of json has no dumped, which is replaced in others", None)]:
        sys.exit(f"found {found}, logged {logged()}")


def logged():
    return [(event["text"], event.get("count")) for event in map(json.loads, LOG.read_text().splitlines())]


def main():
    found = [journal.guarded(fails, number) for number in (1, 1, 2)]
    before = logged()
    journal.failures.log_counts()
    after = logged()[len(before) :]
    expected = [("fails: ValueError: 1", None), ("fails: ValueError: 2", None)]
    if found != [None] * 3 or before != expected or after != [("fails: ValueError: 1", 2)]:
        sys.exit(f"logged {before}, then {after}")
    check_missing()
    LOG.unlink()
    LOG.mkdir()  # that nothing can be logged does not end the program either
    if journal.guarded(fails, 3) is not None or journal.guarded(str, 4) != "4":
        sys.exit("the program did not go on")


main()

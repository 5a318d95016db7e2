#!/usr/bin/env python3
"""Runs the command lines of case files and compares all that they print.

usage: run_cases.py MEMVIZ SOURCE_FOLDER [FILE...]

A case file (tests/cli/cases/*.txt) has, for each case:

    # a comment
    $ a line for sh, in a folder with the files of testdata/
    | a line of standard output
    ! a line of standard error
    [1]

The last line is the exit code, where it is not 0. The examples of SKILL.md are run as well; a line ... in them stands
for others. With MEMVIZ_BLESS=1 the case files are written anew with what was printed: read the difference before you
commit it. Exit code 77 says "skipped" to ctest where jq is missing.
"""

import concurrent.futures
import difflib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

MEMVIZ = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2]).resolve()
CASES = SOURCE / "tests/cli/cases"
VERSION = subprocess.run([MEMVIZ, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
BLESSES = os.environ.get("MEMVIZ_BLESS") == "1"
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("MEMVIZ", "COLUMNS"))},
    # With picture_words.py.
    "PATH": f"{MEMVIZ.parent}:{SOURCE}/tests/cli:{os.environ['PATH']}",
    "LC_ALL": "C.UTF-8",
    # The environment of rehearsed programs: a made-up GPU that does nothing, and a stub of PyTorch.
    "MEMVIZ_REHEARSAL_DIR": f"{MEMVIZ.parent}/tests/rehearse/stub",
    "PYTHONPATH": f"{SOURCE}/rehearsal/tests",
    "PYTHONDONTWRITEBYTECODE": "1",
}


def prefixed(mark, text):
    """Returns the lines of `text` after `mark`, and marks a last line without an end."""
    lines = [f"{mark} {line}".rstrip(" ") if not line else f"{mark} {line}" for line in text.split("\n")]
    if not lines[-1].rstrip() == mark:
        return [*lines, f"{mark}\\ no newline"]
    return lines[:-1]


def outcome(command, folder):
    ran = subprocess.run(["sh", "-c", command], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True)
    out, err = (stream.decode(errors="backslashreplace").replace(VERSION, "VERSION") for stream in (ran.stdout, ran.stderr))
    lines = prefixed("|", out) + prefixed("!", err)
    return lines + ([f"[{ran.returncode}]"] if ran.returncode else [])


def run_examples(path):
    """Returns the errors in the examples of a page: its lines must be printed, in this order, in at most 4 KiB."""
    wrong, examples = [], re.findall(r"^```console\n\$ (.*?)\n(.*?)^```$", path.read_text(), re.M | re.S)
    for command, quoted in examples:
        printed = outcome(command, SOURCE)
        # A command that exceeds a limit reports it on standard error, and exits with 3; no other command prints there.
        fails = [line for line in printed if line.startswith(("! ", "["))]
        is_expected = fails[1:] == ["[3]"] if "--fail-over" in command else not fails
        if not is_expected or not 0 < len("".join(printed)) <= 4096:
            wrong += [f"{path.name}: {command}", *printed]
        lines = iter(printed)
        wrong += [f"{path.name}: {command}: no line '{q}'" for q in quoted.splitlines() if q != "..." and f"| {q}" not in lines]
    return wrong if len(examples) >= 10 else [f"{path.name} has {len(examples)} examples"]


def run_cases(path):
    """Returns the lines of a case file as they should be."""
    with tempfile.TemporaryDirectory() as folder:
        for file in (SOURCE / "testdata").iterdir():
            (pathlib.Path(folder) / file.name).symlink_to(file)
        lines = []
        for line in path.read_text().splitlines():
            if line.startswith("$ "):
                lines += [line, *outcome(line[2:], folder)]
            elif line == "" or line.startswith("#"):
                lines.append(line)
        return lines


def check(path):
    """Returns the differences of one file."""
    found = run_cases(path)
    kept = path.read_text().splitlines()
    if found == kept:
        return []
    if BLESSES:
        path.write_text("\n".join(found) + "\n")
        return []
    name = str(path.relative_to(SOURCE))
    return list(difflib.unified_diff(kept, found, name, f"{name}, now", lineterm="", n=4))


def main():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)  # a shell ignores them for programs in the background, and so would these
    if not shutil.which("jq") and not os.environ.get("MEMVIZ_NEED_BROWSER"):
        print("skipped: no jq")
        return 77
    paths = [pathlib.Path(name).resolve() for name in sys.argv[3:]] or sorted(CASES.glob("*.txt"))
    if not paths:
        sys.exit("no case files")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        differences = [line for lines in pool.map(check, paths) for line in lines]
    if not sys.argv[3:]:
        differences += run_examples(SOURCE / "SKILL.md")
    print("\n".join(differences[:200]))
    commands = sum(line.startswith("$ ") for path in paths for line in path.read_text().splitlines())
    print(f"{commands} command lines in {len(paths)} files" + ("; MEMVIZ_BLESS=1 keeps what is printed now" if differences else ""))
    return 1 if differences else 0


sys.exit(main())

#!/usr/bin/env python3
"""Runs the examples of SKILL.md, and answers the questions of questions.py with the commands that it names.

usage: skill_test.py MEMVIZ SOURCE_FOLDER

Exit code 77 says "skipped" to ctest where jq is missing; with MEMVIZ_NEED_BROWSER set that is a failure.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from questions import QUESTIONS

MEMVIZ, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:])
MOST_BYTES = 4096
failures = []


def expect(what, found, expected):
    if found != expected:
        failures.append(f"{what}: {str(found)[:600]}, expected {str(expected)[:300]}")


def answer_of(command, programs):
    """What a command prints, which is little, and its exit code: 0, or 3 for a threshold."""
    surroundings = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    outcome = subprocess.run(["bash", "-c", "set -o pipefail; " + command], capture_output=True, text=True, cwd=SOURCE, env=surroundings)
    # head leaves before memviz is done
    expected = (0, 3) if "--fail-over" in command else (0, 1) if "| head" in command else (0,)
    expect(f"{command}: exit code; {outcome.stderr}", outcome.returncode in expected, True)
    expect(f"{command}: bytes of its output", 0 < len(outcome.stdout.encode()) <= MOST_BYTES, True)
    return outcome.stdout, outcome.returncode


def examples():
    """Commands of SKILL.md with the lines that it quotes of their outputs, in which ... stands for others."""
    text = (SOURCE / "SKILL.md").read_text()
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S):
        command, _, quoted = block.partition("\n")
        yield command.removeprefix("$ "), [line for line in quoted.splitlines() if line != "..."]


def check_examples(programs):
    found = list(examples())
    expect("examples", len(found) >= 10, True)
    for command, quoted in found:
        output, code = answer_of(command, programs)
        lines = iter(output.splitlines())
        for line in quoted:
            expect(f"{command}: the line '{line}'", any(line == other for other in lines), True)
        if "--fail-over" in command:
            expect(f"{command}: exit code", code, 3)


def words_of(text):
    """Commands and options that a text names."""
    return set(re.findall(r"memviz ([a-z]+)", text)) | set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", text))


def check_questions(programs):
    known = words_of((SOURCE / "SKILL.md").read_text())
    expect("questions", len(QUESTIONS), 10)
    for question in QUESTIONS:
        seen = ""
        for command in question["commands"]:
            expect(f"{command}: words that SKILL.md does not have", words_of(command.partition("| jq")[0]) - known, set())
            seen += " ".join(answer_of(command, programs)[0].split()) + "\n"
        for part in question["shows"]:
            expect(f"{question['asked']} shows '{part}'", part in seen, True)
        figures = re.findall(r"[\d.,]*\d (?:[KMG]iB|%|blocks)|\w+ \w+\.py:\d+", question["answer"])
        expect(f"{question['asked']} figures in the answer", len(figures) >= 2, True)
        for figure in figures:
            expect(f"{question['asked']} '{figure}' stands in what was printed", figure in seen, True)


def main():
    if not shutil.which("jq"):
        print("skipped: no jq")
        return 1 if os.environ.get("MEMVIZ_NEED_BROWSER") else 77
    with tempfile.TemporaryDirectory() as programs:
        os.symlink(MEMVIZ, pathlib.Path(programs) / "memviz")
        check_examples(programs)
        check_questions(programs)
    for failure in failures:
        print(failure)
    print(f"{len(list(examples()))} examples, {len(QUESTIONS)} questions, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())

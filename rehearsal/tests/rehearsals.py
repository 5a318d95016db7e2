"""Runs of `memviz rehearse` for the checks with pip's torch (check_rehearse.py)."""

import json
import os
import subprocess
import sys

MIB = 1 << 20


def program(name):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", name + ".py")) as file:
        return file.read()


class Rehearsals:
    def __init__(self, memviz, folder):
        self.memviz = memviz
        self.folder = folder
        self.count = 0

    def run(self, options, program, *words):
        """The answer as JSON, the exit code, and the folder of the snapshots."""
        self.count += 1
        output = os.path.join(self.folder, f"out{self.count}")
        answer = os.path.join(self.folder, f"answer{self.count}.json")
        command = [self.memviz, "rehearse", "-o", output, "--json", answer, *options, "--", *program, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        if not os.path.exists(answer):
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        with open(answer) as file:
            return json.load(file), done, output

    def python(self, options, program, *words):
        return self.run(options, [sys.executable, "-W", "ignore", "-c", program], *words)


def check(condition, *facts):
    if not condition:
        raise AssertionError(f"{facts}")

"""Snapshots for the tests of exports, and what memviz's other commands say of them."""

import json
import pathlib
import subprocess
import sys

MEMVIZ, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:])


def run(*words):
    done = subprocess.run([str(MEMVIZ), *map(str, words), "-q"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"memviz {' '.join(map(str, words))}: {done.stderr.decode()}")
    return done.stdout


def export(path, form, *words):
    return run("export", path, "--format", form, *words)


def devices_of(path):
    return json.loads(run("stats", path, "--json", "-"))["devices"]


def events_of(path):
    return [json.loads(line) for line in run("trace", path, "--format", "ndjson").splitlines()]


class Subject:
    """A snapshot, and its figures by memviz's other commands."""

    def __init__(self, path):
        self.path = path
        self.name = path.name
        self.devices = devices_of(path)
        self.lines = events_of(path)
        self.events = [line for line in self.lines if line["kind"] == "event"]
        self.reserved = sum(device["reserved_bytes"] for device in self.devices)
        self.outside = sum(device.get("outside_bytes", 0) for device in self.devices)

"""A picture in a browser, as the tests see it: the only file that knows how memviz marks the parts of its SVG."""

import functools
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from playwright.sync_api import sync_playwright

import environment

TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"


def memviz(*arguments):
    """Runs memviz, which has to succeed; returns what it prints."""
    command = [os.environ["MEMVIZ_BINARY"], *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@functools.cache
def folder():
    """Where pictures go: one temporary folder for the whole run."""
    kept = tempfile.TemporaryDirectory(prefix="memviz-browser-")
    unittest.addModuleCleanup(kept.cleanup)
    return pathlib.Path(kept.name)


@functools.cache
def flame(snapshot, *options):
    """The SVG of a snapshot in testdata/."""
    svg = folder() / f"{len(list(folder().iterdir()))}.svg"
    memviz("flame", TESTDATA / snapshot, "-o", svg, *options)
    return svg


@functools.cache
def compare(before, after, *options):
    svg = folder() / f"{len(list(folder().iterdir()))}.svg"
    memviz("compare", TESTDATA / before, TESTDATA / after, "-o", svg, *options)
    return svg


def reserved_bytes(snapshot):
    stats = json.loads(memviz("stats", TESTDATA / snapshot, "--json", "-"))
    return sum(device["reserved_bytes"] for device in stats["devices"])

#!/usr/bin/env python3
"""Merges what one.sh left in a folder: OUT/ranks.ndjson has a row for each snapshot, OUT/merged.folded the sum of all stacks.

usage: merge.py OUT

A snapshot that could not be read is a row with its reason.
"""

import collections
import json
import pathlib
import sys


def row_of(path):
    figures = json.loads(path.read_text())
    devices = figures["devices"]
    peak = max((device["peak_requested_bytes"] for device in devices), default=0)
    return {"file": figures["file"], "error": None, "peak_requested_bytes": peak, "reserved_bytes": sum(device["reserved_bytes"] for device in devices)}


def rows_in(folder):
    for path in sorted(folder.glob("*.json")):
        yield row_of(path)
    for path in sorted(folder.glob("*.error")):
        yield {"file": path.name.removesuffix(".error"), "error": path.read_text().strip()[-300:], "peak_requested_bytes": None, "reserved_bytes": None}


def stacks_in(folder):
    stacks = collections.Counter()
    for path in folder.glob("*.pickle*.folded"):
        for line in path.read_text().splitlines():
            stack, _, count = line.rpartition(" ")
            stacks[stack] += int(count)
    return stacks


def main():
    folder = pathlib.Path(sys.argv[1])
    rows = list(rows_in(folder))
    stacks = stacks_in(folder)
    (folder / "ranks.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "merged.folded").write_text("".join(f"{stack} {count}\n" for stack, count in sorted(stacks.items())))
    bad = sum(row["error"] is not None for row in rows)
    print(f"{len(rows)} snapshots, {bad} of them bad; {len(stacks)} stacks, {sum(stacks.values())} bytes")


main()

#!/usr/bin/env python3
"""Holds `memviz leaks --json` against Python's pickle and a replay that is as plain as it can be.

usage: replay_test.py MEMVIZ SOURCE_FOLDER

For the files of testdata/leaks the verdict has to be the one of expected.json as well. Real snapshots, where they are next to
the checkout, are cut into ten steps of equally many events.
"""

import json
import pathlib
import pickle
import subprocess
import sys
from collections import Counter


def leaks(memviz, file, *options):
    command = [memviz, "leaks", str(file), "--json", "-", "-q", *options]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["devices"]


def kind_of(event):
    """Returns what memviz distinguishes stacks by: the frames, or without any the size."""
    frames = tuple((f["name"], f["filename"], f["line"]) for f in event.get("frames", []))
    return frames or event["size"]


def replayed(events, starts, segments):
    """Returns, per step, live bytes at its beginning, and the lowest, by kind; the lowest and the highest of all."""
    freed = sum(b["requested_size"] if b["state"] != "inactive" else 0 for s in segments for b in s["blocks"])
    # Backward from the end: active bytes there, minus allocations, plus frees.
    total = freed + sum(
        e["size"] * {"alloc": -1, "free_completed": 1}.get(e["action"], 0) for e in events
    )
    owners, live, steps = {}, Counter(), []
    for index, event in enumerate(events):
        if index in starts:
            steps.append({"start": dict(live), "floor": dict(live), "low": total, "high": total})
        kind, change = None, 0
        if event["action"] == "alloc":
            kind, change = kind_of(event), event["size"]
            owners[event["addr"]] = kind
        elif event["action"] == "free_completed":
            kind, change = owners.pop(event["addr"], None), -event["size"]
        total += change
        if kind is not None:
            live[kind] += change
        if steps:
            steps[-1]["low"] = min(steps[-1]["low"], total)
            steps[-1]["high"] = max(steps[-1]["high"], total)
            if kind is not None:
                floor = steps[-1]["floor"]
                floor[kind] = min(floor.get(kind, 0), live[kind])
    return steps, live


def check_replay(device, snapshot):
    events = snapshot["device_traces"][device["device"]]
    starts = device["steps"]["start_events"]
    if len(starts) < 3:
        return 0
    segments = [s for s in snapshot["segments"] if s["device"] == device["device"]]
    steps, live = replayed(events, set(starts), segments)
    assert device["floor_bytes"] == [s["low"] for s in steps]
    assert device["peak_bytes"] == [s["high"] for s in steps]
    stacks = device["grows"] + device["late_frees"] + device["stopped"] + device.get("doubtful", {}).get("stacks", [])
    for stack in stacks:
        frames = tuple((f["name"], f["file"], f["line"]) for f in stack["frames"])
        kind = frames or stack["block_bytes"]
        assert stack["floor_bytes"] == [s["floor"].get(kind, 0) for s in steps], stack["line"]
        assert stack["start_bytes"] == [s["start"].get(kind, 0) for s in steps], stack["line"]
        assert stack["end_bytes"] == live[kind], stack["line"]
    return len(stacks)


def check_verdict(found, expected):
    assert found["steps"]["source"] == expected["source"], found["steps"]
    assert expected["steps"] in (None, found["steps"]["count"]), found["steps"]
    assert {s["line"] for s in found["grows"]} == set(expected["grows"]), found["grows"]
    for stack in found["grows"]:
        wanted = expected["grows"][stack["line"]]
        assert wanted is None or abs(stack["bytes_per_step"] - wanted) <= 1, stack["line"]
    for name in ("late_frees", "stopped"):
        assert [s["line"] for s in found[name]] == expected[name], (name, found[name])
    assert found.get("doubtful", {}).get("reason") == expected.get("doubt")
    assert expected.get("note", "") in found["steps"].get("note", "")
    # The device has what the allocator had, to within a page that no request fitted.
    if "capacity" in expected:
        assert abs(found["capacity_bytes"] - expected["capacity"]) < 1, found["capacity_bytes"]


def main():
    memviz, source = sys.argv[1], pathlib.Path(sys.argv[2])
    expected = json.loads((source / "testdata/leaks/expected.json").read_text())
    stacks = 0
    for name, devices in expected.items():
        file = source / f"testdata/leaks/{name}.pickle"
        found = leaks(memviz, file)
        assert len(found) == len(devices), name
        snapshot = pickle.loads(file.read_bytes())
        for device, wanted in zip(found, devices):
            print(name, device["device"], wanted["source"], flush=True)
            check_verdict(device, wanted)
            stacks += check_replay(device, snapshot)
    print(f"{len(expected)} files of the test data, {stacks} stacks: right")

    real = sorted((source / "../shared/snapshots").glob("*.pickle"))
    if not real:
        print("no real snapshots beside this checkout: only the test data was looked at")
    stacks = 0
    for file in real:
        snapshot = pickle.loads(file.read_bytes())
        if not isinstance(snapshot, dict) or "trimmed" in file.name or not snapshot["segments"]:
            continue
        events = max(map(len, snapshot["device_traces"]), default=0)
        if events < 30 or "requested_size" not in snapshot["segments"][0]["blocks"][0]:
            continue
        print(file.name, flush=True)
        for options in ([], ["--steps", f"events:{events // 10}"]):
            for device in leaks(memviz, file, *options):
                stacks += check_replay(device, snapshot)
    if real:
        print(f"{len(real)} real snapshots, {stacks} stacks: right")


if __name__ == "__main__":
    main()

"""Holds what a run left in its folder against what it must hold, and writes results.json: check.py FOLDER [MEMVIZ]."""

import datetime
import json
import os
import pathlib
import pickle
import subprocess
import sys

PICKLE_ONLY = {"pytorch.pickle"}  # PyTorch's own file, there to be compared in time and size


def blocks_of(snapshot):
    return [block for segment in snapshot["segments"] for block in segment["blocks"]]


def imbalance(snapshot):
    """Bytes by which baseline + allocations - frees misses the requested bytes of the active blocks."""
    total = 0
    for device, trace in enumerate(snapshot["device_traces"]):
        live, baseline, change = {}, 0, 0
        for event in trace:
            if event["action"] == "alloc":
                live[event["addr"]] = event["size"]
                change += event["size"]
            elif event["action"] == "free_completed":
                if live.pop(event["addr"], None) is None:
                    baseline += event["size"]
                change -= event["size"]
        active = 0
        for segment in snapshot["segments"]:
            if segment["device"] != device:
                continue
            address = segment["address"]
            for block in segment["blocks"]:
                if block["state"] != "inactive":
                    active += block["requested_size"]
                    if address not in live:
                        baseline += block["requested_size"]
                address += block["size"]
        total += abs(baseline + change - active)
    return total


def actions(snapshot):
    return {event["action"] for trace in snapshot["device_traces"] for event in trace}


def function_names(snapshot):
    return {frame["name"] for block in blocks_of(snapshot) for frame in block.get("frames", [])}


def expect_oom(snapshot):
    assert "oom" in actions(snapshot), actions(snapshot)


def expect_streams(snapshot):
    assert len({segment["stream"] for segment in snapshot["segments"]} - {0}) >= 3


def expect_private_pool(snapshot):
    assert any(tuple(segment["segment_pool_id"]) != (0, 0) for segment in snapshot["segments"])


def expect_expandable(snapshot):
    assert any(segment["is_expandable"] for segment in snapshot["segments"])
    assert "segment_map" in actions(snapshot), actions(snapshot)


def expect_named_stacks(snapshot):
    names = function_names(snapshot)
    assert any("allocate_weights" in name for name in names), sorted(names)
    assert any("use_pool" in name for name in names), sorted(names)


def expect_deep_stacks(snapshot):
    events = [event for trace in snapshot["device_traces"] for event in trace]
    assert len(events) >= 100_000, len(events)
    deep = [event for event in events if len(event.get("frames", [])) >= 60]
    assert len(deep) > len(events) // 4, (len(deep), len(events))


def plain_bytes(folder, snapshot):
    told = json.loads((folder / "plain.json").read_text())
    active = sum(block["requested_size"] for block in blocks_of(snapshot))
    assert active == told["requested_bytes"], (active, told)


EXPECTATIONS = {
    "streams.pickle": [expect_streams],
    "private_pool.pickle": [expect_private_pool],
    "expandable.pickle": [expect_expandable],
    "deep.pickle": [expect_deep_stacks],
}


# What a step leaves.
FILES_OF_STEPS = {
    "tests": ["simple.pickle", "streams.pickle", "private_pool.pickle", "oom/*.pickle"],
    "expandable": ["expandable.pickle"],
    "plain_injected": ["inject/*exit*.pickle"],
    "cost": ["deep.pickle"],
}


def missing_files(folder, steps):
    patterns = [pattern for step in steps for pattern in FILES_OF_STEPS.get(step, [])]
    return [pattern for pattern in patterns if not any(folder.glob(pattern))]


def expectations_of(path):
    if path.parent.name == "oom":
        return [expect_oom]
    if path.parent.name == "inject" and path.stem.endswith("exit"):
        folder = path.parent.parent
        return [expect_oom, expect_named_stacks, lambda snapshot: plain_bytes(folder, snapshot)]
    return EXPECTATIONS.get(path.name, [])


def check(path, memviz):
    """The failures of one snapshot, in words."""
    failures = []
    snapshot = pickle.loads(path.read_bytes())
    if path.name in PICKLE_ONLY:
        return failures
    if missing := imbalance(snapshot):
        failures.append(f"not balanced: {missing} bytes")
    for expectation in expectations_of(path):
        try:
            expectation(snapshot)
        except AssertionError as error:
            failures.append(f"{getattr(expectation, '__name__', '?')}: {error}"[:500])
    if memviz:
        ran = subprocess.run([memviz, "stats", "--json", "-", path], capture_output=True, text=True)
        if ran.returncode != 0:
            failures.append(f"memviz: {ran.stderr.strip()}")
        elif not all(device["balanced"] for device in json.loads(ran.stdout)["devices"]):
            failures.append("memviz: not balanced")
    return failures


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main():
    folder = pathlib.Path(sys.argv[1])
    memviz = sys.argv[2] if len(sys.argv) > 2 else None
    results = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
    for line in read_lines(folder / "device.json"):
        results.update(line)
    results["figures"] = {line["name"]: [line["value"], line["unit"]] for line in read_lines(folder / "figures.json")}
    results["steps"] = {line["step"]: line["status"] for line in read_lines(folder / "steps.json")}
    results["snapshots"] = {}
    for path in sorted(folder.rglob("*.pickle")):
        try:
            failures = check(path, memviz)
        except Exception as error:  # a file that is no snapshot is a failure like others
            failures = [f"{type(error).__name__}: {error}"]
        results["snapshots"][str(path.relative_to(folder))] = {
            "bytes": os.path.getsize(path),
            "failures": failures,
        }
    results["missing"] = missing_files(folder, results["steps"])
    (folder / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    failed = [name for name, result in results["snapshots"].items() if result["failures"]]
    for name in failed:
        print(f"{name}: {'; '.join(results['snapshots'][name]['failures'])}")
    for pattern in results["missing"]:
        print(f"{pattern}: not there")
    print(f"{len(results['snapshots'])} snapshots, {len(failed)} with failures; {folder / 'results.json'}")
    return 1 if failed or results["missing"] or any(status != 0 for status in results["steps"].values()) else 0


sys.exit(main())

"""Holds what a run left in its folder against what it must hold, and writes results.json.

usage: check.py [--without-snapshots] FOLDER [MEMVIZ]
"""

import datetime
import json
import os
import pathlib
import pickle
import subprocess
import sys

def blocks_of(snapshot):
    return [block for segment in snapshot["segments"] for block in segment["blocks"]]


def imbalance(snapshot):
    """Returns the bytes by which baseline + allocations - frees differs from the requested bytes of the active
    blocks."""
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


def expect_two_devices(snapshot):
    for device in (0, 1):
        wanted = (device + 1) * 3 << 20
        trace = snapshot["device_traces"][device]
        assert any(event["action"] == "alloc" and event["size"] == wanted for event in trace), device


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
    "two_devices.pickle": [expect_two_devices],
}


# The files that each step leaves.
FILES_OF_STEPS = {
    "tests": ["simple.pickle", "streams.pickle", "private_pool.pickle", "oom/*.pickle"],
    "expandable": ["expandable.pickle"],
    "inject_training": ["inject_training/*signal*.pickle"],
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


def check_mark(snapshot, is_rehearsed):
    """A recording on a made-up GPU says so, and no other does."""
    mark = snapshot.get("memviz_rehearsal")
    if not is_rehearsed:
        return ["marked as rehearsed"] if mark else []
    is_whole = mark and mark["profile"] and mark["gpu"] and mark["total_bytes"] > 0
    return [] if is_whole else [f"not marked as rehearsed: {mark}"]


def check(path, memviz, is_rehearsed):
    """Returns the failures of one snapshot, in words."""
    snapshot = pickle.loads(path.read_bytes())
    failures = check_mark(snapshot, is_rehearsed)
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


def compare_with_reserved(folder, figures):
    """The inject library saw everything that the allocator had reserved; the rest belongs to others."""
    paths = list(folder.glob("inject_training/*signal*.pickle"))
    if not paths or "training.reserved" not in figures:
        return []
    reserved = figures["training.reserved"][0]
    seen = sum(segment["total_size"] for segment in pickle.loads(paths[0].read_bytes())["segments"])
    figures["inject.training_seen"] = [seen, "bytes"]
    return [] if seen >= reserved else [f"inject_training: {seen} bytes seen of {reserved} reserved"]


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--without-snapshots"]
    has_snapshots = len(arguments) == len(sys.argv) - 1
    folder = pathlib.Path(arguments[0])
    memviz = arguments[1] if len(arguments) > 1 else None
    results = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
    for line in read_lines(folder / "device.json"):
        results.update(line)
    results["figures"] = {line["name"]: [line["value"], line["unit"]] for line in read_lines(folder / "figures.json")}
    steps = read_lines(folder / "steps.json")
    results["steps"] = {line["step"]: line["status"] for line in steps if "status" in line}
    results["left_out"] = {line["step"]: line["left_out"] for line in steps if "left_out" in line}
    results["snapshots"] = {}
    is_rehearsed = "memviz rehearsal" in results.get("device", "")
    for path in sorted(folder.rglob("*.pickle")) if has_snapshots else []:
        try:
            failures = check(path, memviz, is_rehearsed)
        except Exception as error:  # a file that is not a snapshot is a failure like others
            failures = [f"{type(error).__name__}: {error}"]
        results["snapshots"][str(path.relative_to(folder))] = {
            "bytes": os.path.getsize(path),
            "failures": failures,
        }
    results["missing"] = missing_files(folder, results["steps"]) if has_snapshots else []
    results["comparisons"] = []
    if has_snapshots:
        results["comparisons"] = compare_with_reserved(folder, results["figures"])
    (folder / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    failed = [name for name, result in results["snapshots"].items() if result["failures"]]
    for name in failed:
        print(f"{name}: {'; '.join(results['snapshots'][name]['failures'])}")
    for pattern in results["missing"]:
        print(f"{pattern}: not there")
    for comparison in results["comparisons"]:
        print(comparison)
    for step, why in results["left_out"].items():
        print(f"{step} is left out: {why}")
    print(f"{len(results['snapshots'])} snapshots, {len(failed)} with failures; {folder / 'results.json'}")
    has_failed_step = any(status != 0 for status in results["steps"].values())
    return 1 if failed or results["missing"] or results["comparisons"] or has_failed_step else 0


sys.exit(main())

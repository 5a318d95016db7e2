#!/usr/bin/env python3
"""Hold a snapshot against its readers: Python's pickle, torch's _memory_viz.py (where torch is installed) and memviz.

usage: check_snapshot.py FILE [--memviz BINARY]
Checks that PyTorch's web viewer can read its opcodes, the keys of PyTorch's newest generation and the sums, that both
readers give the same bytes for the same stacks, and that memviz finds events and blocks in balance. Exits 1 and says
what differs.
"""
import argparse
import importlib.util
import json
import pathlib
import pickle
import pickletools
import subprocess
import sys

SEGMENT = {
    "device": int, "address": int, "total_size": int, "allocated_size": int, "active_size": int, "requested_size": int,
    "stream": int, "segment_type": str, "segment_pool_id": tuple, "is_expandable": bool, "frames": list, "blocks": list,
}
BLOCK = {"address": int, "size": int, "requested_size": int, "state": str, "frames": list}
EVENT = {
    "action": str, "addr": int, "size": int, "stream": int, "time_us": int, "compile_context": str,
    "user_metadata": str, "pool_id": tuple, "frames": list,
}
FRAME = {"name": str, "filename": str, "line": int}
ANNOTATION = {"name": str, "stage": str, "device": int, "time_us": int}
TOP = {"segments": list, "device_traces": list, "allocator_settings": dict, "external_annotations": list}
ACTIONS = {
    "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map", "segment_unmap",
    "snapshot", "oom",
}
STATES = {"active_allocated", "active_pending_free", "inactive"}
# The opcodes that all versions of the unpickler of torch/utils/viz/MemoryViz.js support.
VIEWER_OPCODES = {
    "APPEND", "APPENDS", "BINFLOAT", "BINGET", "BININT", "BININT1", "BININT2", "BINPUT", "BINUNICODE", "DICT", "EMPTY_DICT",
    "EMPTY_LIST", "EMPTY_TUPLE", "FRAME", "LIST", "LONG1", "LONG_BINGET", "LONG_BINPUT", "MARK", "MEMOIZE", "NEWFALSE",
    "NEWTRUE", "NONE", "PROTO", "SETITEM", "SETITEMS", "SHORT_BINUNICODE", "STOP", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3",
}
# Its push(...items) passes a batch as arguments: V8 throws a RangeError at about 120,000.
VIEWER_BATCH = 60_000


class Wrong(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Wrong(message)


def check_keys(what, found, wanted, optional=frozenset()):
    check(type(found) is dict, f"{what}: {type(found).__name__}, not a dict")
    check(set(found) <= set(wanted) and set(wanted) - set(found) <= optional,
          f"{what}: keys {sorted(found)}, wanted {sorted(wanted)}")
    for key, value in found.items():
        check(type(value) is wanted[key], f"{what}: {key} is of type {type(value).__name__}")


def check_viewer(file):
    """Checks that the web viewer can unpickle it: known opcodes, and no batch that is too large."""
    depths = []  # values since each open MARK
    for opcode, argument, position in pickletools.genops(file):
        name = opcode.name
        check(name in VIEWER_OPCODES, f"byte {position}: {name} is unknown to MemoryViz.js")
        check(name != "PROTO" or 2 <= argument <= 4, f"byte {position}: protocol {argument}")
        if name == "MARK":
            depths.append(0)
        elif name in ("APPENDS", "SETITEMS"):
            values = depths.pop()
            check(values <= VIEWER_BATCH, f"byte {position}: a batch of {values} values")
        elif depths:
            depths[-1] += len(opcode.stack_after) - len(opcode.stack_before)


def check_pool(what, pool):
    check(len(pool) == 2 and all(type(part) is int for part in pool), f"{what}: pool {pool}")


class Frames:
    """Checks each frame list once: they are shared."""

    def __init__(self):
        self.seen = {}
        self.uses = 0

    def check(self, what, frames):
        self.uses += 1
        if id(frames) in self.seen:
            return
        self.seen[id(frames)] = frames
        for frame in frames:
            check_keys(f"{what}: frame", frame, FRAME)


def check_segment(what, segment, frames):
    check_keys(what, segment, SEGMENT)
    check_pool(what, segment["segment_pool_id"])
    check(segment["segment_type"] in ("small", "large"), f"{what}: {segment['segment_type']}")
    frames.check(what, segment["frames"])
    at = segment["address"]
    for block in segment["blocks"]:
        check_keys(f"{what}: block", block, BLOCK)
        check(block["state"] in STATES, f"{what}: state {block['state']}")
        check(block["address"] == at, f"{what}: block at {block['address']}, the blocks before it end at {at}")
        at += block["size"]
        frames.check(what, block["frames"])
    active = [block for block in segment["blocks"] if block["state"] != "inactive"]
    allocated = [block for block in active if block["state"] == "active_allocated"]
    sums = {
        "total_size": at - segment["address"],
        "allocated_size": sum(block["size"] for block in allocated),
        "active_size": sum(block["size"] for block in active),
        "requested_size": sum(block["requested_size"] for block in active),
    }
    for key, value in sums.items():
        check(segment[key] == value, f"{what}: {key} is {segment[key]}, the blocks have {value}")


def check_event(what, event, frames):
    check(type(event) is dict, f"{what}: no dict")
    wanted = dict(EVENT)
    if event.get("action") == "oom":
        wanted["device_free"] = wanted.pop("addr")
    check_keys(what, event, wanted, optional={"frames"})
    check(event["action"] in ACTIONS, f"{what}: action {event['action']}")
    check_pool(what, event["pool_id"])
    if "frames" in event:
        frames.check(what, event["frames"])


def check_shape(snapshot):
    check_keys("snapshot", snapshot, TOP)
    frames = Frames()
    for index, segment in enumerate(snapshot["segments"]):
        check_segment(f"segment {index}", segment, frames)
    for device, events in enumerate(snapshot["device_traces"]):
        check(type(events) is list, f"trace {device}: no list")
        for index, event in enumerate(events):
            check_event(f"device {device}: event {index}", event, frames)
    for index, annotation in enumerate(snapshot["external_annotations"]):
        check_keys(f"annotation {index}", annotation, ANNOTATION)
    distinct = {tuple((f["name"], f["filename"], f["line"]) for f in stack) for stack in frames.seen.values()}
    check(len(frames.seen) <= len(distinct) * 2 + 1, f"{len(frames.seen)} frame lists for {len(distinct)} distinct stacks")
    return frames


def memory_viz():
    """Returns torch's reader, without the seconds that importing torch takes; None if there is no torch."""
    torch = importlib.util.find_spec("torch")
    if torch is None or torch.submodule_search_locations is None:
        return None
    path = pathlib.Path(torch.submodule_search_locations[0]) / "cuda" / "_memory_viz.py"
    spec = importlib.util.spec_from_file_location("memory_viz", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def folded(text):
    """Returns paths with bytes, with everything below `inactive` summed per prefix and zero sums removed."""
    sums = {}
    for line in text.splitlines():
        path, size = line.rsplit(" ", 1)
        parts = path.split(";")
        if "inactive" in parts[:3]:
            path = ";".join(parts[: parts.index("inactive") + 1])
        sums[path] = sums.get(path, 0) + int(size)
    return {path: size for path, size in sums.items() if size}


def run(*command):
    done = subprocess.run(command, capture_output=True, timeout=600)
    check(done.returncode == 0, f"{command[1]}: exit {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
    return done.stdout.decode("utf-8", "surrogateescape")


def check_memviz(binary, file, viz, snapshot):
    stats = json.loads(run(binary, "stats", file, "--json", "-"))
    for device in stats["devices"]:
        check(device["balanced"], f"memviz stats: device {device['device']} is not balanced: {device['imbalance_bytes']} bytes")
    if viz is None:
        return
    want = folded(viz.memory(snapshot, format_flamegraph=lambda lines: lines))
    got = folded(run(binary, "export", file, "--format", "folded", "--view", "memory", "-o", "-"))
    for path in sorted(set(want) | set(got)):
        check(want.get(path, 0) == got.get(path, 0),
              f"{path[-200:]}: torch {want.get(path, 0)}, memviz {got.get(path, 0)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--memviz")
    arguments = parser.parse_args()
    try:
        with open(arguments.file, "rb") as file:
            check_viewer(file)
            file.seek(0)
            snapshot = pickle.load(file)
        frames = check_shape(snapshot)
        viz = memory_viz()
        if viz is None:
            print("skipped: no torch, its _memory_viz.py was not asked")
        else:
            for view in (viz.memory, viz.segments):
                view(snapshot, format_flamegraph=lambda lines: lines)
            viz.trace(snapshot)
            viz.segsum(snapshot)
        if arguments.memviz:
            check_memviz(arguments.memviz, arguments.file, viz, snapshot)
        else:
            print("skipped: no memviz")
    except Wrong as wrong:
        print(f"{arguments.file}: {wrong}")
        return 1
    events = sum(map(len, snapshot["device_traces"]))
    blocks = sum(len(segment["blocks"]) for segment in snapshot["segments"])
    print(f"{arguments.file}: {events} events, {blocks} blocks, {len(frames.seen)} frame lists in {frames.uses} places: well")
    return 0


if __name__ == "__main__":
    sys.exit(main())

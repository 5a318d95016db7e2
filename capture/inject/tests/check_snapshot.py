"""Reads a snapshot of memviz_inject_write as other programs do: check_snapshot.py WRITER [MEMVIZ]."""

import json
import pathlib
import pickle
import subprocess
import sys
import tempfile


def check_pickle(snapshot):
    blocks = [block for segment in snapshot["segments"] for block in segment["blocks"]]
    assert len(snapshot["segments"]) == len(blocks) == 15
    assert all(segment["total_size"] == sum(b["size"] for b in segment["blocks"]) for segment in snapshot["segments"])
    assert all(block["state"] == "active_allocated" and block["frames"] for block in blocks)
    assert [segment["device"] for segment in snapshot["segments"]] == sorted(s["device"] for s in snapshot["segments"])
    frames = [frame for block in blocks for frame in block["frames"]]
    assert all(frame["name"] and frame["line"] == 0 for frame in frames)
    actions = [event["action"] for trace in snapshot["device_traces"] for event in trace]
    assert set(actions) == {"segment_alloc", "alloc", "free_requested", "free_completed", "segment_free", "oom"}
    assert snapshot["allocator_settings"]["trace_alloc_overflowed"] is True


def check_memviz(memviz, path):
    stats = json.loads(subprocess.run([memviz, "stats", "--json", "-", path], check=True, capture_output=True).stdout)
    assert len(stats["devices"]) == 2
    assert all(device["balanced"] for device in stats["devices"]), stats
    assert sum(device["segments"] for device in stats["devices"]) == 15


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "inject.pickle"
        subprocess.run([sys.argv[1], path], check=True)
        check_pickle(pickle.loads(path.read_bytes()))
        if len(sys.argv) > 2:
            check_memviz(sys.argv[2], path)


main()

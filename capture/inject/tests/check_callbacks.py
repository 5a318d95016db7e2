"""Runs memviz_inject_callbacks and reads what it leaves: check_callbacks.py PROGRAM FAKES [MEMVIZ]. FAKES/12 has a made-up
libcupti.so.12 and driver of CUDA 12, FAKES/13 those of CUDA 13."""

import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile


def events_of(trace):
    """Without the segments' events, which accompany the others."""
    return [
        (event["action"], event.get("addr", 0), event["size"], event["stream"])
        for event in trace
        if event["action"] in ("alloc", "free_completed", "oom")
    ]


def check_trace(trace):
    per_thread_stream = 2  # CU_STREAM_PER_THREAD
    assert events_of(trace) == [
        ("alloc", 0x10000, 100, 0),
        ("alloc", 0x20000, 10000, 0),
        ("alloc", 0x30000, 300, 0),
        ("alloc", 0x40000, 400, 0x55),
        ("alloc", 0x50000, 500, per_thread_stream),
        ("alloc", 0x60000, 600, 0x55),
        ("free_completed", 0x40000, 400, 0x55),
        ("alloc", 0x90000, 900, 0),
        ("free_completed", 0x90000, 900, 0),
        ("free_completed", 0x10000, 100, 0),
        ("alloc", 0x10000, 100, 0),
        ("oom", 0, 1 << 50, 0),
        ("alloc", 0xA0000, 1000, 0),
        ("free_completed", 0x20000, 10000, 0),
    ], events_of(trace)


def run(folder, version, **variables):
    environment = dict(os.environ, MEMVIZ_OUT=folder + "/%r.pickle", LD_LIBRARY_PATH=f"{sys.argv[2]}/{version}")
    environment.update(variables)
    command = [sys.argv[1], f"libcupti.so.{version}"]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def check_missing_cupti():
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, 13, MEMVIZ_CUPTI="/no/such/libcupti.so")
        assert done.returncode == 1 and os.listdir(folder) == [], done
        assert "memviz_inject: MEMVIZ_CUPTI: /no/such/libcupti.so" in done.stderr, done.stderr
        assert "nothing is recorded" in done.stderr, done.stderr


def check_reset(folder, snapshot):
    """The snapshot before a context was destroyed has what was live in it; the one at the exit says that it was not
    freed."""
    before = pickle.loads(pathlib.Path(folder, "reset.pickle").read_bytes())
    assert 0x90000 in {segment["address"] for segment in before["segments"]}
    frees = {e["addr"]: e["user_metadata"] for e in snapshot["device_traces"][0] if e["action"] == "free_completed"}
    assert frees[0x90000] == "context destroyed" and frees[0x40000] == "cuMemAllocAsync", frees


def check_run(version):
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, version)
        assert done.returncode == 0, done
        assert done.stdout == "1\n", f"a free took {done.stdout} stacks"
        snapshot = pickle.loads(pathlib.Path(folder, "exit.pickle").read_bytes())
        at_oom = pickle.loads(pathlib.Path(folder, "oom.pickle").read_bytes())
        check_trace(snapshot["device_traces"][0])
        assert events_of(snapshot["device_traces"][1]) == [
            ("alloc", 0x700000, 0x1000, 0),
            ("alloc", 0x701000, 0x1000, 0),
            ("free_completed", 0x700000, 0x1000, 0),
            ("free_completed", 0x701000, 0x1000, 0),
            ("alloc", 0x80000, 800, 0),
        ], events_of(snapshot["device_traces"][1])
        assert at_oom["device_traces"][0][-1]["action"] == "oom"
        sizes = {segment["address"]: segment["total_size"] for segment in at_oom["segments"]}
        assert sizes[0x20000] == 1024 * 10  # the pitch that the driver chose
        pools = {segment["address"]: tuple(segment["segment_pool_id"]) for segment in snapshot["segments"]}
        live = (0x10000, 0x30000, 0x50000, 0x60000, 0x80000, 0xA0000)
        assert pools == {address: (0, 0x99 if address == 0x60000 else 0) for address in live}, pools
        check_reset(folder, snapshot)
        if len(sys.argv) > 3:
            stats = subprocess.run(
                [sys.argv[3], "stats", "--json", "-", folder + "/exit.pickle"], check=True, capture_output=True
            )
            assert all(device["balanced"] for device in json.loads(stats.stdout)["devices"])


def main():
    for version in (12, 13):
        check_run(version)
    check_missing_cupti()


main()

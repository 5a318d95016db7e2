"""Mutations of made-up results: check.py must accept the good ones and name the error in each of the others."""

import copy
import json
import pathlib
import pickle
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).with_name("check.py")
MB = 1 << 20


def event(action, addr, size):
    return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": 1, "frames": []}


def snapshot(blocks, events, **segment):
    """One segment with blocks of (size, requested, state)."""
    at, listed = 4096, []
    for size, requested, state in blocks:
        listed.append({"address": at, "size": size, "requested_size": requested, "state": state, "frames": []})
        at += size
    shape = {"device": 0, "address": 4096, "total_size": at - 4096, "stream": 0, "segment_pool_id": (0, 0),
             "is_expandable": False, "frames": [], "blocks": listed}
    return {"segments": [shape | segment], "device_traces": [events], "allocator_settings": {}, "external_annotations": []}


def oom():
    return {"action": "oom", "device_free": 7, "size": 1 << 50, "stream": 0, "time_us": 2}


def named(snapshot_, *names):
    snapshot_["segments"][0]["blocks"][0]["frames"] = [{"name": name, "filename": "", "line": 0} for name in names]
    return snapshot_


def good_folder():
    kept = [(1024, 1000, "active_allocated"), (512, 512, "inactive")]
    alloc = event("alloc", 4096, 1000)
    streams = snapshot(kept, [alloc])
    streams["segments"] = [copy.deepcopy(streams["segments"][0]) | {"stream": n, "address": n * MB} for n in (1, 2, 3)]
    streams["device_traces"] = [[]]
    deep_frames = [{"name": "f", "filename": "", "line": 0}] * 60
    deep = []
    for _ in range(50_000):
        deep += [event("alloc", 9 * MB, 5) | {"frames": deep_frames}, event("free_completed", 9 * MB, 5)]
    two_devices = snapshot(kept, [event(action, 5 * MB, 3 * MB) for action in ("alloc", "free_completed")])
    two_devices["device_traces"].append([event(action, 5 * MB, 6 * MB) for action in ("alloc", "free_completed")])
    injected = snapshot([(10 * MB + 100_000, 10 * MB + 100_000, "active_allocated")], [oom()])
    return {
        "simple.pickle": snapshot(kept, [alloc, event("alloc", MB, 5), event("free_completed", MB, 5)]),
        "streams.pickle": streams,
        "private_pool.pickle": snapshot(kept, [alloc], segment_pool_id=(0, 1)),
        "two_devices.pickle": two_devices,
        "inject_training/memviz_1_signal.pickle": snapshot([(100 * MB, 100 * MB, "active_allocated")], []),
        "expandable.pickle": snapshot(kept, [event("segment_map", 4096, 1536), alloc], is_expandable=True),
        "deep.pickle": snapshot(kept, [alloc] + deep),
        "oom/oom_rank0.pickle": snapshot(kept, [alloc, oom()]),
        "inject/memviz_1_exit.pickle": named(injected, "allocate_weights(unsigned long)", "use_pool(void*)"),
    }


STEPS = ("tests", "expandable", "plain_injected", "inject_training", "cost")


def status_of(files, failed_step=None, left_out=(), requested=10 * MB + 100_000, device="a GPU", reserved=100 * MB):
    """check.py's exit status and its results."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path, content in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(content if isinstance(content, bytes) else pickle.dumps(content))
        (folder / "device.json").write_text(json.dumps({"device": device}))
        (folder / "figures.json").write_text(json.dumps({"name": "training.reserved", "value": reserved, "unit": "bytes"}))
        (folder / "plain.json").write_text(json.dumps({"requested_bytes": requested}))
        steps = [{"step": step, "status": 124 if step == failed_step else 0} for step in STEPS if step not in left_out]
        steps += [{"step": step, "left_out": "no time is left"} for step in left_out]
        (folder / "steps.json").write_text("\n".join(map(json.dumps, steps)))
        done = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return done.returncode, json.loads((folder / "results.json").read_text())


def mutations():
    """(what is wrong, the file, how)."""
    def drop(path, action):
        def change(files):
            for trace in files[path]["device_traces"]:
                trace[:] = [e for e in trace if e["action"] != action]
        return change

    def set_segment(path, **values):
        return lambda files: [segment.update(values) for segment in files[path]["segments"]]

    def more(files):
        files["simple.pickle"]["segments"][0]["blocks"][0]["requested_size"] += 1

    def shallow(files):
        for e in files["deep.pickle"]["device_traces"][0]:
            e["frames"] = e["frames"][:59]

    def broken(files):
        files["simple.pickle"] = pickle.dumps(files["simple.pickle"])[:-9]

    def nameless(files):
        named(files["inject/memviz_1_exit.pickle"], "??")

    yield "requested bytes", "simple.pickle", more
    yield "a broken file", "simple.pickle", broken
    yield "one stream", "streams.pickle", set_segment("streams.pickle", stream=0)
    yield "no private pool", "private_pool.pickle", set_segment("private_pool.pickle", segment_pool_id=(0, 0))
    yield "not expandable", "expandable.pickle", set_segment("expandable.pickle", is_expandable=False)
    yield "nothing mapped", "expandable.pickle", drop("expandable.pickle", "segment_map")
    yield "one device", "two_devices.pickle", lambda files: files["two_devices.pickle"]["device_traces"].reverse()
    yield "shallow stacks", "deep.pickle", shallow
    yield "few events", "deep.pickle", lambda files: files["deep.pickle"]["device_traces"][0].__delitem__(slice(9, None))
    yield "no oom event", "oom/oom_rank0.pickle", drop("oom/oom_rank0.pickle", "oom")
    yield "no failed cudaMalloc", "inject/memviz_1_exit.pickle", drop("inject/memviz_1_exit.pickle", "oom")
    yield "no names", "inject/memviz_1_exit.pickle", nameless


def main():
    good = good_folder()
    written = {path: pickle.dumps(content) for path, content in good.items()}
    wrong = []
    status, results = status_of(written)
    if status != 0:
        wrong.append(f"good results were refused: {results['snapshots']}")
    for what, path, change in mutations():
        files = {path: copy.deepcopy(good[path])}
        change(files)
        status, results = status_of(written | files)
        failed = [name for name, told in results["snapshots"].items() if told["failures"]]
        if status != 1 or failed != [path]:
            wrong.append(f"{what}: exit {status}, failures in {failed}, not in {path} alone")
    if status_of(written, requested=5)[0] != 1:
        wrong.append("bytes that the plain program does not have were accepted")
    status, results = status_of({path: content for path, content in written.items() if path != "deep.pickle"}, left_out=["cost"])
    if status != 0 or results["left_out"] != {"cost": "no time is left"} or "cost" in results["steps"]:
        wrong.append(f"a step that was left out is no failure, and named: {status}, {results['left_out']}")
    if status_of(written, failed_step="cost")[0] != 1:
        wrong.append("a step that failed was accepted")
    if status_of(written, reserved=101 * MB)[0] != 1:
        wrong.append("a reserved MiB that the inject library did not see was accepted")
    if status_of(written, device="a GPU (memviz rehearsal)")[0] != 1:
        wrong.append("recordings on a made-up GPU without its mark were accepted")
    for missing in good.keys() - {"two_devices.pickle"}:  # which takes two
        if status_of({path: content for path, content in written.items() if path != missing})[0] != 1:
            wrong.append(f"{missing} is not there, and nothing was said")
    print("\n".join(wrong) or "check.py: well")
    return 1 if wrong else 0


sys.exit(main())

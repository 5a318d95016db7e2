#!/usr/bin/env python3
"""Runs `memviz ranks` on jobs of several ranks.

usage: jobs_test.py MEMVIZ SOURCE_FOLDER

One job is made of snapshots of testdata, under the names that ranks have. Recordings of real jobs,
where they are next to the checkout, must have the answer that each was planned for.
"""

import json
import os
import pathlib
import pickle
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from expectations import expect, finish  # noqa: E402

MEMVIZ, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:])
DATA = SOURCE / "testdata"
RECORDED = SOURCE.parent / "shared" / "probes" / "many" / "ranks"
# For each job the rank that was made to differ, and the line that makes it differ.
PLANTED = {
    "rec/ddp-extra-4": (2, "keep_samples job.py:121"),
    "rec/ddp-extra-8": (2, "keep_samples job.py:121"),
    "rec/ddp-rank0-4": (0, "<listcomp> job.py:124"),
    "rec/ddp-seq-4": (1, "forward job.py:31"),
    "rec/ddp-grow-4": (3, "append_history job.py:127"),
    "rec/ddp-grow-8": (3, "append_history job.py:127"),
    "rec/ep-4": (2, "forward job.py:31"),
    "rec213/ddp-rank0-4": (0, "<listcomp> job.py:124"),
}
LIKE_EACH_OTHER = "rec/ddp-2 rec/ddp-4 rec/fsdp-4 rec/pp-4 rec/pp-8 rec/tp-4 rec213/ddp-4".split()


def run(*words, code=0, command="ranks", **more):
    outcome = subprocess.run([str(MEMVIZ), command, *map(str, words)], capture_output=True, **more)
    expect(f"{command} {' '.join(map(str, words))}: exit code {outcome.stderr[:200]}", outcome.returncode, code)
    return outcome.stdout


def answer(*words, **more):
    return json.loads(run(*words, "--json", "-", **more))


def make_job(folder, ranks=6, odd=3):
    """A folder with a snapshot for each rank, all alike except one."""
    for rank in range(ranks):
        name = "run_branch" if rank == odd else "run_main"
        shutil.copy(DATA / f"{name}.pickle", folder / f"mem_rank{rank}.pickle")


def check_parts(folder):
    """Parts from several calls are the same job as its files, in any order."""
    files = sorted(folder.glob("*.pickle"))
    whole = run(*files, "--json", "-")
    first, second = folder / "first.ndjson", folder / "second.ndjson"
    run(*files[:2], "--partial", first)
    run(*files[2:], "--partial", second)
    expect("parts", run(second, first, "--json", "-"), whole)
    expect("a part and files", run(first, *files[2:], "--json", "-"), whole)
    expect("text of parts", run(first, second), run(*files))
    expect("largest part", max(map(len, (first.read_bytes() + second.read_bytes()).splitlines())) <= 8192, True)
    newer = folder / "newer.ndjson"
    newer.write_text(first.read_text().replace("ranks-part/1.", "ranks-part/7."))
    expect("a newer part", "version 7.2" in answer(newer, code=1)["unread_files"][0]["error"], True)
    for path in (first, second, newer):
        path.unlink()


def check_bad_files(folder):
    """A bad file is a row with its reason, and the others are answered."""
    (folder / "mem_rank6.pickle").write_bytes((DATA / "run_main.pickle").read_bytes()[:-500])
    (folder / "mem_rank7.pickle").write_text("not a snapshot")
    shutil.copy(DATA / "hostile" / "deep_marks.pickle", folder / "mem_rank8.pickle")
    (folder / "readme.txt").write_text("of no interest")
    words = [folder, folder / "missing.pickle"]
    document = answer(*words)
    expect("ranks that were read", [rank["rank"] for rank in document["ranks"]], list(range(6)))
    names = [pathlib.Path(row["file"]).name for row in document["unread_files"]]
    expect("bad files", names, ["mem_rank6.pickle", "mem_rank7.pickle", "mem_rank8.pickle", "missing.pickle"])
    expect("each has its reason", all(row["error"] for row in document["unread_files"]), True)
    expect("headline", "4 of 10 files could not be read." in document["headline"], True)
    run(*words, "--strict", code=1)
    lines = [json.loads(line) for line in run(*words, "--ndjson", "-").splitlines()]
    expect("lines", lines, document["ranks"] + document["unread_files"])
    empty = folder / "empty"
    empty.mkdir()
    run(empty, code=1)
    only_bad = answer(folder / "mem_rank7.pickle", code=1)
    expect("only a bad file", only_bad["headline"].startswith("No file could be read"), True)


def check_many(folder):
    """A thousand files, with a limit of 64 open ones, in any number of threads."""
    for rank in range(1000):
        os.link(folder / "mem_rank0.pickle", folder / f"job_rank{rank}.pickle")
    files = [folder / f"job_rank{rank}.pickle" for rank in range(1000)]
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))}
    one, four = (run(*files, "--threads", threads, "--json", "-", **limit) for threads in (1, 4))
    expect("threads", one == four, True)
    document = json.loads(one)
    expect("a thousand", (len(document["ranks"]), len(document["groups"]), document["unread"]), (1000, 1, 0))
    expect("rows of the text", len(run(*files).splitlines()) < 100, True)


def check_largest_part(folder):
    """A part stays small whatever the names of functions are, and its lines still add up to the total."""
    blocks, at = [], 1 << 32
    for i in range(300):
        frames = [{"name": '"\\' * 40 + str(i), "filename": "model.py", "line": i}]
        blocks.append({"address": at + (i << 20), "size": 1 << 20, "requested_size": 1 << 20, "state": "active_allocated", "frames": frames})
    segment = {"device": 0, "address": at, "total_size": 300 << 20, "stream": 0, "segment_type": "large", "blocks": blocks}
    path = folder / "mem_rank0.pickle"
    path.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [[]]}))
    part = run(path, "--partial", "-")
    expect("a part's bytes", len(part) <= 8192, True)
    expect("a part's lines", sum(line["bytes"] for line in json.loads(part)["held"]), 300 << 20)


def check_picture(folder):
    """A cell for each rank, with a tooltip if there are not too many; 10,000 ranks fit."""
    picture = folder / "ranks.svg"
    run(folder, "-o", picture)
    text = picture.read_text()
    xml.etree.ElementTree.fromstring(text)
    expect("tooltips", [text.count(f"<title>rank {rank}: ") for rank in range(6)], [1] * 6)
    expect("the one that stands out", 'class="added"' in text, True)
    part = json.loads(run(folder / "mem_rank0.pickle", "--partial", "-"))
    odd = {**part, "held": [*part["held"], {"line": "keep job.py:9", "kind": "unknown", "bytes": 64 << 20}]}
    many = folder / "many.ndjson"
    rows = [{**(odd if rank == 4711 else part), "file": f"job/rank{rank}.pickle"} for rank in range(10_000)]
    many.write_text("\n".join(json.dumps(row, separators=(",", ":")) for row in rows))
    document = answer(many, "-o", picture)
    expect("who stands out of 10,000", [one["rank"] for one in document["outliers"]], [4711])
    text = picture.read_text()
    xml.etree.ElementTree.fromstring(text)
    expect("10,000 cells", text.count("h4v4h-4z"), 9_999)
    expect("size", len(text) < 1_000_000, True)
    many.unlink()
    picture.unlink()


def check_flame_graph_of_all(folder):
    """The shell lines of docs/ranks.md draw all ranks below their groups."""
    if shutil.which("jq") is None:
        print("no jq, so the flame graph of all ranks is not drawn")
        return
    blocks = re.findall(r"```sh\n(.*?)```", (SOURCE / "docs" / "ranks.md").read_text(), re.DOTALL)
    (lines,) = (block for block in blocks if "groups.folded" in block)
    os.symlink(folder, folder / "snapshots")
    search = {**os.environ, "PATH": f"{MEMVIZ.parent}:{os.environ['PATH']}"}
    subprocess.run(["sh", "-euc", lines], cwd=folder, env=search, check=True, stderr=subprocess.DEVNULL)
    stacks = (folder / "groups.folded").read_text().splitlines()
    groups = {rank["rank"]: rank["group"] for rank in answer(folder)["ranks"]}
    found = {tuple(int(level.split()[1]) for level in stack.split(";")[:2]) for stack in stacks}
    expect("groups and ranks of the flame graph", found, {(group, rank) for rank, group in groups.items()})
    expect("the picture of groups", "group 0" in (folder / "groups.svg").read_text(), True)
    for name in ("snapshots", "rows.ndjson", "ranks.txt", "groups.folded", "groups.svg"):
        (folder / name).unlink()


def moved_to(device, name, folder):
    """Returns a copy of a snapshot of GPU 0 as process number `device` of eight has it: everything on that GPU, and
    no event on the others."""
    snapshot = pickle.loads((DATA / f"{name}.pickle").read_bytes())
    for segment in snapshot["segments"]:
        segment["device"] = device
    (trace,) = snapshot["device_traces"]
    mark = {"action": "snapshot", "addr": 0, "size": 0, "stream": 0, "frames": []}
    snapshot["device_traces"] = [trace if other == device else [mark] for other in range(8)]
    path = folder / f"{name}_gpu{device}.pickle"
    path.write_bytes(pickle.dumps(snapshot, protocol=4))
    return path


def check_one_of_eight(folder):
    """explain says in one line that other GPUs are empty; compare uses the only GPU of each file, whatever its
    number."""
    main, branch = moved_to(1, "run_main", folder), moved_to(5, "run_branch", folder)
    text = run(main, command="explain").decode()
    expect("explain: other GPUs", text.count("Nothing is reserved on 7 others: GPU 0, GPU 2, GPU 3, "), 1)
    expect("explain: headlines", text.count("nothing is reserved"), 0)
    expect("explain --brief", b"GPU 1 at the peak" in run(main, "--brief", command="explain"), True)
    same = json.loads(run(DATA / "run_main.pickle", DATA / "run_branch.pickle", "--json", "-", "-q", command="compare"))
    pair = json.loads(run(main, branch, "--json", "-", "-q", command="compare"))
    expect("compare: devices", [device["device"] for device in pair["devices"]], [1])
    expect("compare: says so", [w for w in pair["warnings"] if "these two are compared, as GPU 1" in w] != [], True)
    for key in ("changes", "devices"):
        expect(f"compare: {key}", [{**one, "device": 0} for one in pair[key]], [{**one, "device": 0} for one in same[key]])
    back = json.loads(run(branch, main, "--json", "-", "-q", command="compare"))
    expect("compare: back", [device["device"] for device in back["devices"]], [5])
    expect("compare --device", b"these two" in run(main, branch, "--device", "1", command="compare"), False)


def check_recorded():
    for job, (rank, line) in PLANTED.items():
        document = answer(RECORDED / job)
        expect(f"{job}: who stands out", [one["rank"] for one in document["outliers"]], [rank])
        expect(f"{job}: line", line in [one["line"] for one in document["outliers"][0]["lines"]], True)
        expect(f"{job}: headline", document["headline"].startswith(f"Rank {rank} stands out: it holds "), True)
    for job in LIKE_EACH_OTHER:
        document = answer(RECORDED / job)
        expect(f"{job}: no rank", document["outliers"] + document["out_of_memory"], [])
        expect(f"{job}: headline", document["headline"].startswith("No rank stands out"), True)
    document = answer(RECORDED / "rec/ddp-oom-4")
    expect("out of memory", [one["rank"] for one in document["out_of_memory"]], [1])
    expect("its line", document["ranks"][1]["asked_by"], "step job.py:138")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_job(folder)
        document = answer(folder)
        expect("who stands out", [one["rank"] for one in document["outliers"]], [3])
        expect("groups: rank 3 ran another version of the same program", [group["ranks"] for group in document["groups"]][:1], [list(range(6))])
        check_parts(folder)
        check_picture(folder)
        check_flame_graph_of_all(folder)
        check_bad_files(folder)
        check_many(folder)
    with tempfile.TemporaryDirectory() as name:
        check_largest_part(pathlib.Path(name))
        check_one_of_eight(pathlib.Path(name))
    if RECORDED.exists():
        check_recorded()
    else:
        print("no recordings of real jobs beside the checkout")
    finish("jobs of many ranks are as they should be")


main()

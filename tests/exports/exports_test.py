#!/usr/bin/env python3
"""Opens what `memviz export` writes with the programs that it is for, and holds its sums against `memviz stats --json`.

usage: exports_test.py MEMVIZ SOURCE_FOLDER

Real snapshots, where they are next to the checkout, are looked at, too, and `go tool pprof` where there is one. Exit
code 77 says "skipped" to ctest; with MEMVIZ_NEED_BROWSER set, missing readers are a failure instead.
"""

import contextlib
import os
import pathlib
import sys

from environment import ENVIRONMENT

try:
    import duckdb
    import perfetto_cases
    from pprof_profile import Profile
except ImportError:
    if ENVIRONMENT.is_installed() and sys.prefix != str(ENVIRONMENT.venv):
        os.execv(ENVIRONMENT.python, [str(ENVIRONMENT.python), "-B", *sys.argv])
    print("skipped: no readers of exports (`./run test` installs them)")
    sys.exit(1 if os.environ.get("MEMVIZ_NEED_BROWSER") else 77)

import csv  # noqa: E402
import gzip  # noqa: E402
import io  # noqa: E402
import itertools  # noqa: E402
import json  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
import sqlite3  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402

from expectations import expect, failures, finish  # noqa: E402
from subjects import SOURCE, Subject, export, run  # noqa: E402

SHARED = SOURCE.parent / "shared" / "snapshots"
# Several devices, an out-of-memory error, annotations, steps, no times, expandable segments, no events at all.
SMALL = """training_step oom oom_expandable devices_streams gen_2.5_annotations gen_2.1_no_time gen_2.15_host expandable
segments_only ring_lost_history recorder_key odd_names not_utf8 unpaired_events unbalanced""".split()
TABLES = "devices segments blocks live events event_notes stack_lines texts".split()


def samples_of(profile, text):
    """Returns each sample with its labels and the names of its frames, innermost first; looks up every reference."""
    functions = {one.id: one for one in profile.function}
    locations = {one.id: one for one in profile.location}
    for sample in profile.sample:
        labels = {text[label.key]: text[label.str] for label in sample.label}
        lines = [locations[number].line[0] for number in sample.location_id]
        yield labels, [text[functions[line.function_id].name] for line in lines], list(sample.value)


def check_pprof(subject):
    name = f"{subject.name} as pprof"
    profile = Profile()
    profile.ParseFromString(gzip.decompress(export(subject.path, "pprof")))
    text = profile.string_table
    expect(name + ", first text", text[0], "")
    expect(name + ", types", [text[one.type] for one in profile.sample_type], "inuse_objects inuse_space alloc_objects alloc_space".split())
    expect(name + ", unknown fields", Profile.FromString(profile.SerializeToString()) == profile, True)
    samples = list(samples_of(profile, text))
    sums = [sum(values[i] for _, _, values in samples) for i in range(4)]
    allocs = [event["size_bytes"] for event in subject.events if event["action"] == "alloc"]
    expect(name + ", in use", sums[1], subject.reserved + subject.outside)
    expect(name + ", allocated", sums[2:], [len(allocs), sum(allocs)])
    for device in subject.devices:
        word = "host memory" if device["device"] == "host" else f"GPU {device['device']}"
        for state, key in ("active_pending_free", "pending_free_bytes"), ("inactive", "inactive_bytes"):
            total = sum(values[1] for labels, _, values in samples if labels.get("state") == state and labels["device"] == word)
            expect(f"{name}, {state} of {word}", total, device[key])
    for labels, frames, _ in samples:
        expect(name + ", a sample without a frame", len(frames) > 0, True)
        expect(name + ", labels", set(labels) <= {"device", "state", "kind", "rank"}, True)
    return profile


def check_pprof_by_keeper(subject):
    name = f"{subject.name} as pprof by keeper"
    profile = Profile.FromString(gzip.decompress(export(subject.path, "pprof", "--by", "keeper")))
    text = profile.string_table
    expect(name + ", types", [text[one.type] for one in profile.sample_type], "inuse_objects inuse_space".split())
    samples = list(samples_of(profile, text))
    expect(name + ", in use", sum(values[1] for _, _, values in samples), subject.reserved + subject.outside)
    folded = [line.rsplit(" ", 1) for line in run("export", subject.path, "--format", "folded", "--by", "keeper").decode().splitlines()]
    expect(name + ", folded", sum(int(bytes) for _, bytes in folded), subject.reserved + subject.outside)
    in_list = sum(values[1] for _, frames, values in samples if frames == ["[*]", "outputs", "validate"])
    expect(name + ", tensors of a list", [in_list], [int(bytes) for path, bytes in folded if path.endswith("validate train.py:31;outputs;[*]")])
    functions = {text[one.name]: text[one.filename] for one in profile.function}
    expect(name + ", file of a function", functions["validate"], "/home/user/project/train.py")
    lines = {text[one.name]: line.line for place in profile.location for line in place.line for one in profile.function if one.id == line.function_id}
    expect(name + ", line of a function", (lines["validate"], lines["outputs"]), (31, 0))


def check_go(subject, folder):
    """Returns the totals that `go tool pprof` prints, which refuses an invalid profile."""
    path = folder / "profile.pb.gz"
    path.write_bytes(export(subject.path, "pprof", "--frames", "user"))
    for kind, total in ("inuse_space", subject.reserved), ("alloc_objects", sum(e["action"] == "alloc" for e in subject.events)):
        words = ["go", "tool", "pprof", "-top", "-unit=B", f"-sample_index={kind}", str(path)]
        found = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout.decode()
        total_line = re.search(r"of (\S+?)B? total", found)
        expect(f"{subject.name} by go tool pprof, {kind}", total_line and total_line.group(1), str(total))


# The keys that speedscope's file-format-schema.json allows; of a frame, only the name is required.
SPEEDSCOPE = {"$schema": str, "name": str, "exporter": str, "activeProfileIndex": int, "shared": dict, "profiles": list}
SPEEDSCOPE_FRAME = {"name": str, "file": str, "line": int}
SPEEDSCOPE_PROFILE = {"type": str, "name": str, "unit": str, "startValue": int, "endValue": int, "samples": list, "weights": list}


def check_speedscope_frames(name, frames, used):
    """speedscope takes the index of a frame for its identity."""
    for frame in frames:
        expect(name + ", frame", {key: type(one) for key, one in frame.items()}.items() <= SPEEDSCOPE_FRAME.items(), True)
        expect(name + ", an unknown place", frame.get("file") in ("", "??") or frame.get("line", 1) < 1, False)
    distinct = {(frame["name"], frame.get("file"), frame.get("line")) for frame in frames}
    expect(name + ", equal frames", len(distinct), len(frames))
    expect(name + ", used frames", used, set(range(len(frames))))


def check_order_of_boxes(name, rows, free):
    """`rows`: samples with their weights; `free`: the frames of memory that is not in use. Each box is drawn once, those with most memory in use first; bytes that end at a box are after those within it."""
    firsts = [sample[0] if sample else None for sample, _ in rows]
    order = list(dict.fromkeys(firsts))
    expect(name + ", boxes drawn once", [key for key, _ in itertools.groupby(firsts)], order)
    expect(name + ", bytes that end here", None in order[:-1], False)
    within = {key: [(sample[1:], weight) for sample, weight in rows if sample and sample[0] == key] for key in order if key is not None}
    in_use = [sum(weight for sample, weight in rows if not free & {key, *sample}) for key, rows in within.items()]
    expect(name + ", most in use first", in_use, sorted(in_use, reverse=True))
    for part in within.values():
        check_order_of_boxes(name, part, free)


def profile_of(subject, device):
    """Returns the start of a profile's name, and its sum."""
    word = "host memory" if device["device"] == "host" else f"GPU {device['device']}"
    owner = f"{subject.name}, {word} " if len(subject.devices) > 1 else f"{subject.name}, "
    return owner, device["reserved_bytes"] + device.get("outside_bytes", 0)


def check_speedscope(subject, *options):
    name = " ".join([subject.name, "as speedscope", *options])
    document = json.loads(export(subject.path, "speedscope", *options))
    frames = document["shared"]["frames"]
    expect(name + ", keys", {key: type(one) for key, one in document.items()}, SPEEDSCOPE)
    expect(name + ", the profile that is shown first", document["activeProfileIndex"], 0)
    check_speedscope_frames(name, frames, {number for profile in document["profiles"] for sample in profile["samples"] for number in sample})
    expected = sorted(profile_of(subject, device) for device in subject.devices if device["reserved_bytes"])
    found = sorted((profile["name"], profile["endValue"]) for profile in document["profiles"] if profile["endValue"])
    expect(name + ", devices", len(found), len(expected))
    for (title, total), (start, reserved) in zip(found, expected):
        expect(name + ", a device", (title[: len(start)], total), (start, reserved))
    for profile in document["profiles"]:
        expect(name + ", keys", {key: type(one) for key, one in profile.items()}, SPEEDSCOPE_PROFILE)
        expect(name + ", unit", (profile["type"], profile["unit"]), ("sampled", "bytes"))
        expect(name + ", weights", (len(profile["weights"]), sum(profile["weights"])), (len(profile["samples"]), profile["endValue"]))
        expect(name + ", an empty sample", [] in profile["samples"], False)
        free = {number for number, frame in enumerate(frames) if frame["name"] in ("inactive", "<unaccounted>") and "file" not in frame}
        check_order_of_boxes(name, list(zip(profile["samples"], profile["weights"], strict=True)), free)


def rows_of_sqlite(database, table):
    cursor = database.execute(f"SELECT * FROM memviz_{table} ORDER BY 1, 2")
    return [one[0] for one in cursor.description], [list(row) for row in cursor]


def signed(value):
    """In SQLite's form for numbers that are text in JSON because they may exceed 2^53."""
    number = int(value)
    return number - (1 << 64) if number >= 1 << 63 else number


def for_spreadsheets(value):
    """A value of JSON in CSV: an apostrophe before what a spreadsheet would calculate."""
    text = "" if value is None else str(value)
    return re.sub(r"(^|[;\t\r\n])(?=[=+\-@\t\r])", r"\1'", text) if isinstance(value, str) else text


def check_tables(subject, folder):
    path = folder / "tables.sqlite"
    path.unlink(missing_ok=True)
    export(subject.path, "sqlite", "-o", path)
    with sqlite3.connect(path) as database:
        for table in TABLES:
            name = f"{subject.name}, table {table}"
            columns, expected = rows_of_sqlite(database, table)
            rows = [json.loads(line) for line in export(subject.path, "ndjson", "--table", table).splitlines()]
            for row in rows:
                expect(name + ", keys", list(row), columns)
                for key in set(row) & {"address", "stream"}:
                    row[key] = None if row[key] is None else signed(row[key])
            expect(name + ", rows", sorted([list(row.values()) for row in rows], key=lambda row: row[:2]), expected)
            sheet = list(csv.reader(io.StringIO(export(subject.path, "csv", "--table", table).decode(), newline="")))
            expect(name + ", head of CSV", sheet[0], columns)
            texts = [[for_spreadsheets(value) for value in row.values()] for row in rows]
            found = [[str(signed(value)) if key in {"address", "stream"} and value else value for key, value in zip(columns, row, strict=True)] for row in sheet[1:]]
            expect(name + ", rows of CSV", found, texts)


def blocks_of(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page, re.S)


def check_page(subject, folder):
    """The queries of docs/export.md, and its line for Parquet."""
    page = (SOURCE / "docs" / "export.md").read_text()
    path, kept = folder / "page.sqlite", folder / "kept.sqlite"
    export(subject.path, "sqlite", "-o", path)
    export(SOURCE / "testdata" / "keepers_key.pickle", "sqlite", "-o", kept)
    for query in blocks_of(page, "sql"):
        if "read_ndjson" not in query:
            with contextlib.closing(sqlite3.connect(kept if "memviz_keepers" in query else path)) as database:
                expect("docs/export.md: " + query, len(database.execute(query).fetchall()) > 0, True)
    (line,) = [block for block in blocks_of(page, "sql") if "read_ndjson" in block]
    (folder / "events.ndjson").write_bytes(export(subject.path, "ndjson", "--table", "events"))
    os.chdir(folder)
    duckdb.execute(line)
    found = duckdb.sql("SELECT count(*), sum(size_bytes) FROM 'events.parquet'").fetchall()[0]
    expect("docs/export.md: Parquet", found, (len(subject.events), sum(event["size_bytes"] for event in subject.events)))


def check_several(subjects, folder, go):
    """Several snapshots: a file for each, which together are one profile with ranks, one table with file names, one
    query."""
    job = folder / "job"
    job.mkdir()
    for rank, subject in enumerate(subjects):
        shutil.copy(subject.path, job / f"rank{rank}.pickle")
    for form in ("pprof", "perfetto", "ndjson", "sqlite"):
        export(job, form, "-o", folder / form)
    reserved = {str(rank): subject.reserved + subject.outside for rank, subject in enumerate(subjects)}
    for rank, subject in enumerate(subjects):
        profile = Profile.FromString(gzip.decompress((folder / "pprof" / f"rank{rank}.pb.gz").read_bytes()))
        samples = list(samples_of(profile, profile.string_table))
        expect(f"rank {rank} as pprof, labels", {labels["rank"] for labels, _, _ in samples}, {str(rank)})
        expect(f"rank {rank} as pprof, in use", sum(values[1] for _, _, values in samples), reserved[str(rank)])
        trace = (folder / "perfetto" / f"rank{rank}.pftrace").read_bytes()
        expect(f"rank {rank} as perfetto", trace == export(subject.path, "perfetto"), True)
    if go:
        words = "go tool pprof -top -unit=B -nodefraction=0 -nodecount=10000 -tagfocus=rank=^1$".split()
        words += sorted(map(str, (folder / "pprof").iterdir()))
        top = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True, text=True).stdout
        found = re.search(r"for (\d+)B, .* of (\d+)B", top)
        expect("rank 1 of both by go tool pprof", [int(bytes) for bytes in found.groups()], [reserved["1"], sum(reserved.values())])
    live = f"read_ndjson('{folder}/ndjson/*.ndjson', filename = true)"
    rows = duckdb.sql(f"SELECT filename, sum(requested_bytes) FROM {live} GROUP BY 1 ORDER BY 1").fetchall()
    with sqlite3.connect(folder / "sqlite" / "rank0.sqlite") as database:
        database.execute("ATTACH ? AS other", (str(folder / "sqlite" / "rank1.sqlite"),))
        query = "SELECT (SELECT sum(requested_bytes) FROM main.memviz_live), (SELECT sum(requested_bytes) FROM other.memviz_live)"
        expect("two files at their peaks", [database.execute(query).fetchone()], [tuple(row[1] for row in rows)])


def main():
    paths = [SOURCE / "testdata" / f"{name}.pickle" for name in SMALL]
    if not SHARED.is_dir() and os.environ.get("MEMVIZ_NEED_SHARED"):
        failures.append(f"{SHARED} is missing")
    paths += sorted((SHARED / "../probes/findings4/attack").glob("csv_formula.pickle"))
    paths += sorted(SHARED.glob("oom_expandable_3gpu.pickle")) + sorted(SHARED.glob("ring_full_10000.pickle"))
    go = shutil.which("go")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in paths:
            subject = Subject(path)
            check_pprof(subject)
            perfetto_cases.check(subject)
            perfetto_cases.check(subject, "--frames", "user")
            check_speedscope(subject)
            check_speedscope(subject, "--frames", "all", "--group", "pool,state")
            if path.stat().st_size < 1_000_000:
                check_tables(subject, folder)
        subject = Subject(paths[0])
        if go:
            check_go(subject, folder)
        check_pprof_by_keeper(Subject(SOURCE / "testdata" / "keepers_key.pickle"))
        check_page(subject, folder)
        perfetto_cases.check_profile(subject, folder)
        check_several([subject, Subject(paths[1])], folder, go)
    finish(f"{len(paths)} snapshots agree{'' if go else '; no go tool pprof here'}")


main()

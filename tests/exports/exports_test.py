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
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
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

MEMVIZ, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:])
SHARED = SOURCE.parent / "shared" / "snapshots"
# Several devices, an out-of-memory error, annotations, steps, no times, expandable segments, no events at all.
SMALL = """training_step oom oom_expandable devices_streams gen_2.5_annotations gen_2.1_no_time gen_2.15_host expandable
segments_only ring_lost_history recorder_key odd_names not_utf8 unpaired_events unbalanced""".split()
TABLES = "devices segments blocks live events event_notes stack_lines texts".split()


def run(*words):
    done = subprocess.run([str(MEMVIZ), *map(str, words), "-q"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"memviz {' '.join(map(str, words))}: {done.stderr.decode()}")
    return done.stdout


def export(path, form, *words):
    return run("export", path, "--format", form, *words)


def devices_of(path):
    return json.loads(run("stats", path, "--json", "-"))["devices"]


def events_of(path):
    return [json.loads(line) for line in run("trace", path, "--format", "ndjson").splitlines()]


class Subject:
    """A snapshot, and its figures by memviz's other commands."""

    def __init__(self, path):
        self.path = path
        self.name = path.name
        self.devices = devices_of(path)
        self.lines = events_of(path)
        self.events = [line for line in self.lines if line["kind"] == "event"]
        self.reserved = sum(device["reserved_bytes"] for device in self.devices)
        self.outside = sum(device.get("outside_bytes", 0) for device in self.devices)


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


class Stacks:
    """The heap profiles of a trace, read by the rules of Perfetto's trace processor: what a sequence of packets interns
    is known to its later packets, and a dump is the change since the one before in the same sequence."""

    def __init__(self):
        self.interned, self.packets, self.is_continued, self.before, self.sorted = {}, {}, {}, {}, {}
        self.bytes, self.times, self.processes = {}, {}, {}

    def take(self, name, packet):
        number = packet.trusted_packet_sequence_id
        known = self.interned.setdefault(number, {})
        new = packet.interned_data
        for field in ("function_names", "mapping_paths", "mappings", "frames", "callstacks"):
            for entry in getattr(new, field):
                expect(f"{name}, {field} of one number", (field, entry.iid) in known, False)
                known[field, entry.iid] = entry
        if not packet.HasField("profile_packet"):
            return
        profile = packet.profile_packet
        expect(name + ", its packets", profile.index, self.packets.get(number, 0))
        self.packets[number] = profile.index + 1
        expect(name + ", packets that keep their order when sorted by time", self.sorted.setdefault(number, packet.timestamp), packet.timestamp)
        self.is_continued[number] = profile.continued
        for dump in profile.process_dumps:
            for sample in dump.samples:
                self.take_sample(name, known, (number, dump.pid), dump, sample)

    def take_sample(self, name, known, sequence, dump, sample):
        stack = [known["frames", frame] for frame in known["callstacks", sample.callstack_id].frame_ids]
        expect(name + ", a stack", len(stack) > 0 and sample.alloc_count > 0, True)
        words = tuple(self.words(known, frame) for frame in stack)
        expect(name + ", a stack once in a sequence", (sequence, words) in self.before, False)
        self.before[sequence, words] = sample.self_allocated
        self.bytes.setdefault(dump.pid, {}).setdefault(dump.heap_name, []).append(sample.self_allocated)
        self.times.setdefault(dump.pid, set()).add(dump.timestamp)

    @staticmethod
    def words(known, frame):
        paths = [known["mapping_paths", path].str for path in known["mappings", frame.mapping_id].path_string_ids]
        return known["function_names", frame.function_name_id].str.decode(), b"/".join(paths).decode(), frame.rel_pc


def check_perfetto(subject, *options):
    name = " ".join((subject.name, "as perfetto", *options))
    trace = Trace()
    trace.ParseFromString(export(subject.path, "perfetto", *options))
    tracks, values, slices, instants = {}, {}, {}, 0
    last, stacks, failed_at = {}, Stacks(), {}
    clocks = {(clock.clock_id, clock.timestamp) for clock in trace.packet[0].clock_snapshot.clocks}
    expect(name + ", clocks", (len({time for _, time in clocks}), {number for number, _ in clocks}), (1, {1, 4, 6}))
    for packet in trace.packet[1:]:
        if packet.HasField("profile_packet"):
            stacks.take(name, packet)
            continue
        if packet.track_descriptor.HasField("process"):
            stacks.processes[packet.track_descriptor.process.process_name] = packet.track_descriptor.process.pid
            continue
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
            continue
        event = packet.track_event
        expect(name + ", a track", event.track_uuid in tracks, True)
        expect(name + ", times in order", packet.timestamp >= last.get(event.track_uuid, 0), True)
        last[event.track_uuid] = packet.timestamp
        if event.type == TrackEvent.TYPE_COUNTER:
            values.setdefault(event.track_uuid, []).append(event.counter_value)
        elif event.type == TrackEvent.TYPE_INSTANT:
            instants += 1
            failed_at[tracks[event.track_uuid].parent_uuid] = packet.timestamp, {tracks[number].name: counts[-1] for number, counts in values.items() if tracks[number].parent_uuid == tracks[event.track_uuid].parent_uuid}
        else:
            slices.setdefault(event.track_uuid, []).append((event.type, event.name))
    roots = [number for number, track in tracks.items() if track.parent_uuid == 0]
    expect(name + ", devices", len(roots), len(subject.devices))
    expect(name + ", errors", instants, sum(event["action"] == "oom" for event in subject.events))
    for root, device in zip(roots, subject.devices, strict=True):
        counters = {track.name: values[number] for number, track in tracks.items() if track.parent_uuid == root and number in values}
        expect(name + ", counters", set(counters), {"live bytes", "reserved bytes"})
        expect(name + ", end of reserved", counters["reserved bytes"][-1], device["reserved_bytes"])
        expect(name + ", peak", max(counters["live bytes"]), device["peak_requested_bytes"])
        check_stacks(name, stacks, tracks[root].name.partition(",")[0], device, failed_at.get(root))
    expect(name + ", profiles of devices alone", set(stacks.bytes), set())
    expect(name + ", profiles that end", any(stacks.is_continued.values()), False)
    for number, marks in slices.items():
        kinds = [kind for kind, _ in marks]
        expect(name + ", slices that end", kinds, [TrackEvent.TYPE_SLICE_BEGIN, TrackEvent.TYPE_SLICE_END] * (len(kinds) // 2))
    starts = {line["name"] for line in subject.lines if line["kind"] == "annotation" and line["stage"] == "START"}
    drawn = {mark for number, marks in slices.items() if tracks[number].name == "annotations" for _, mark in marks if mark}
    expect(name + ", annotations", drawn >= starts or len(subject.events) == 0 or "time_us" not in subject.events[0], True)


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


def profiler_trace(base_ns, begin_us):
    """Returns a trace of a profiler, with slices that are within each other, adjacent or overlap, names of threads, and other events."""
    slices = [
        (7, 7, "outer", 0, 100), (7, 7, "inner", 10, 20), (7, 7, "next to it", 30, 5), (7, 7, "outer again", 100, 50.5), (7, 7, "of no length", 150.5, 0),
        (0, 12, "kernel <a>", 40, 30), (0, 12, "kernel that overlaps", 60, 30), (0, 12, "a third", 65, 40), ("Spans", "PyTorch Profiler", "span", 0, 160),
    ]
    events = [{"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": begin_us + begin, "dur": length} for pid, tid, name, begin, length in slices]
    names = [("process_name", {"name": "python"}), ("process_labels", {"labels": "CPU"}), ("thread_name", {"name": "main"})]
    events += [{"ph": "M", "pid": 7, "tid": 7, "name": name, "ts": 0, "args": args} for name, args in names]
    events += [{"ph": "X", "pid": 7, "tid": 7, "name": "no time"}, {"ph": "X", "name": 3, "ts": 1, "dur": 1}, {"ph": "X", "pid": 7, "tid": 7, "name": "ends before", "ts": 5, "dur": -1},
               {"ph": "X", "pid": 7, "tid": 7, "name": "too late", "ts": 1e300, "dur": 1}, {"ph": "i", "name": "instant", "ts": 1}, 4, None]
    return slices, {"schemaVersion": 1, "baseTimeNanoseconds": base_ns, "traceEvents": events}


def check_profile(subject, folder):
    """Slices of a profiler's trace, on the axis of memory: a track has them within each other or apart."""
    first_us = next(event["time_us"] for event in subject.events)
    for base_ns, begin_us in ((first_us * 1000, 0), (0, first_us)):
        slices, document = profiler_trace(base_ns, begin_us)
        path = folder / "trace.json.gz"
        path.write_bytes(gzip.compress(json.dumps(document).encode()))
        plain, trace = Trace.FromString(export(subject.path, "perfetto")), Trace.FromString(export(subject.path, "perfetto", "--with", path))
        name = f"{subject.name} with a profiler's trace from {base_ns}"
        expect(name + ", memory as without", list(trace.packet[: len(plain.packet)]) == list(plain.packet), True)
        tracks, open_slices, found = {}, {}, []
        for packet in trace.packet[len(plain.packet) :]:
            event = packet.track_event
            if packet.HasField("track_descriptor"):
                tracks[packet.track_descriptor.uuid] = packet.track_descriptor
            elif event.type == TrackEvent.TYPE_SLICE_BEGIN:
                open_slices.setdefault(event.track_uuid, []).append((event.name, packet.timestamp))
            else:
                words, begin = open_slices[event.track_uuid].pop()
                track = tracks[event.track_uuid]
                found.append((tracks[track.parent_uuid].name, track.name, words, begin, packet.timestamp - begin))
        processes = {7: "python 7 (CPU)", 0: "process 0", "Spans": "process Spans"}
        threads = {7: "main", 12: "thread 12", "PyTorch Profiler": "thread PyTorch Profiler"}
        wanted = [(processes[pid], threads[tid], words, first_us * 1000 + round(begin * 1000), round(length * 1000)) for pid, tid, words, begin, length in slices]
        expect(name + ", slices", sorted(found), sorted(wanted))
        lanes = [track for track in tracks.values() if track.name == "thread 12"]
        expect(name + ", a lane for each that overlaps", len(lanes), 3)


def check_stacks(name, stacks, device_name, device, failed_at):
    """The flame graphs of a device: their roots are the live bytes at the peak, at the last error and at the end."""
    expected = {"live at the end": device["requested_bytes"]}
    if device["events"]:
        expected["live at the peak"] = device["peak_requested_bytes"]
    if failed_at:
        expected["live at the out-of-memory error"] = failed_at[1]["live bytes"]
        process = stacks.processes.get(f"{device_name}, live at the out-of-memory error")
        expect(name + ", time of the error", stacks.times.get(process), {failed_at[0]})
    for heap, bytes_ in expected.items():
        found = stacks.bytes.pop(stacks.processes.get(f"{device_name}, {heap}"), {})
        expect(f"{name}, {heap}", {name: sum(each) for name, each in found.items()}, {heap: bytes_} if bytes_ else {})


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
            check_perfetto(subject)
            check_perfetto(subject, "--frames", "user")
            check_speedscope(subject)
            check_speedscope(subject, "--frames", "all", "--group", "pool,state")
            if path.stat().st_size < 1_000_000:
                check_tables(subject, folder)
        subject = Subject(paths[0])
        if go:
            check_go(subject, folder)
        check_pprof_by_keeper(Subject(SOURCE / "testdata" / "keepers_key.pickle"))
        check_page(subject, folder)
        check_profile(subject, folder)
        check_several([subject, Subject(paths[1])], folder, go)
    finish(f"{len(paths)} snapshots agree{'' if go else '; no go tool pprof here'}")


main()

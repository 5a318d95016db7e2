"""Traces for Perfetto: counters, events, stacks and a profiler's slices, read by its own descriptions of the format."""

import gzip
import json

from expectations import expect
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
from subjects import export


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
                if field == "mapping_paths":
                    expect(name + ", a path that is not empty", len(entry.str) > 0, True)
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


def check(subject, *options):
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

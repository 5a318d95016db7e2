#!/usr/bin/env python3
"""Makes expected/ from sources that are independent of memviz.

usage: make_expected.py MEMORY_VIZ [SNAPSHOT_FOLDER OUTPUT_FOLDER]

MEMORY_VIZ is the file torch/cuda/_memory_viz.py out of a PyTorch wheel (2.4.0 made what is committed); it is imported,
so take it from a wheel that you trust. Its memory() and segments() give the lines of NAME.memory.folded and
NAME.segments.folded; NAME.json is replayed here. README.md says what is done to the lines.
"""

import importlib.util
import json
import pathlib
import pickle
import sys
import unicodedata

HERE = pathlib.Path(__file__).resolve().parent
# PyTorch's text of these is not UTF-8, so there is nothing to compare with.
NO_FOLDED = {"lone_surrogate", "not_utf8"}


class Lenient(pickle._Unpickler):
    """Python's own decoder, but text that is not UTF-8 gets replacement characters."""

    dispatch = dict(pickle._Unpickler.dispatch)

    def load_binunicode(self):
        length = int.from_bytes(self.read(4), "little")
        self.append(self.read(length).decode("utf-8", "replace"))

    dispatch[pickle.BINUNICODE[0]] = load_binunicode


def load(path):
    with path.open("rb") as file:
        value = Lenient(file).load() if path.stem == "not_utf8" else pickle.load(file)
    return {"segments": value, "device_traces": []} if isinstance(value, list) else value


# Folded lines


def is_unsafe(letter):
    """Controls, ends of lines, what turns the text or is not seen (but the joiners, which languages need), no character."""
    noncharacter = ord(letter) & 0xFFFE == 0xFFFE
    return noncharacter or (unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp") and letter not in "\u200c\u200d")


def clean(text):
    return "".join(" " if is_unsafe(letter) else letter for letter in text).replace(";", ":")


def with_clean_names(snapshot):
    """The same segments with the names that memviz prints: ';' separates frames, a line ends an entry, and the two
    names of one state are one."""

    def frames(made):
        return [f | {"name": clean(f["name"]), "filename": clean(f["filename"])} for f in made]

    def edited(item):
        item = {k: frames(v) if k == "frames" else v for k, v in item.items()}
        if item.get("state") == "active_awaiting_free":
            item["state"] = "active_pending_free"
        return item | {"history": [edited(h) for h in item["history"]]} if "history" in item else item

    return {"segments": [s | {"blocks": [edited(b) for b in s["blocks"]]} for s in snapshot["segments"]]}


def folded(text):
    """Equal paths merged, what is below `inactive` summed per prefix, zeros dropped, sorted by code point."""
    sums = {}
    for line in text.split("\n"):
        if not line:
            continue
        path, size = line.rsplit(" ", 1)
        parts = path.split(";")
        if "inactive" in parts[:3]:
            path = ";".join(parts[: parts.index("inactive") + 1])
        sums[path] = sums.get(path, 0) + int(size)
    return "".join(f"{path} {size}\n" for path, size in sorted(sums.items()) if size)


# Accounts


def memory_of(snapshot, device):
    """(segments, events) of a GPU, or of "host", pinned host memory."""
    if device == "host":
        return snapshot.get("host_segments", []), snapshot.get("host_traces", [])
    traces = snapshot.get("device_traces", [])
    return [s for s in snapshot["segments"] if s["device"] == device], traces[device] if device < len(traces) else []


def active_blocks(segments):
    """(address, requested bytes) of each, with addresses counted from the segment's where blocks have none."""
    for segment in segments:
        at = segment["address"]
        for block in segment["blocks"]:
            if block["state"] != "inactive":
                history = block.get("history") or [{}]
                requested = block.get("requested_size", history[0].get("real_size", block["size"]))
                yield block.get("address", at), min(requested, block["size"])
            at += block["size"]


def accounts(snapshot, device):
    segments, events = memory_of(snapshot, device)
    blocks = [b for s in segments for b in s["blocks"]]
    of_state = lambda *states: sum(b["size"] for b in blocks if b["state"] in states)  # noqa: E731
    live, baseline, unmatched, changes = {}, 0, 0, []
    for event in events:
        change = 0
        if event["action"] == "alloc":
            live[event["addr"]] = change = event["size"]
        elif event["action"] == "free_completed":
            change = -event["size"]
            if live.pop(event["addr"], None) is None:
                baseline += event["size"]
                unmatched += 1
        changes.append(change)
    active = list(active_blocks(segments))
    baseline += sum(requested for address, requested in active if address not in live)
    peak, peak_event, now = baseline, -1, baseline
    for index, change in enumerate(changes):
        now += change
        if now > peak:
            peak, peak_event = now, index
    end = sum(requested for _, requested in active)
    return {
        "device": device,
        "segments": len(segments),
        "blocks": len(blocks),
        "events": len(events),
        "reserved_bytes": sum(s["total_size"] for s in segments),
        "allocated_bytes": of_state("active_allocated"),
        "pending_free_bytes": of_state("active_pending_free", "active_awaiting_free"),
        "inactive_bytes": of_state("inactive"),
        "requested_bytes": end,
        "baseline_bytes": baseline,
        "unmatched_frees": unmatched,
        "peak_requested_bytes": peak,
        "peak_event": peak_event,
        "end_requested_bytes": now,
        "balanced": now == end,
    }


def devices(snapshot):
    traced = {d for d, events in enumerate(snapshot.get("device_traces", [])) if events}
    found = sorted(traced | {s["device"] for s in snapshot["segments"]})
    return found + ["host"] if any(memory_of(snapshot, "host")) else found


def main():
    spec = importlib.util.spec_from_file_location("memory_viz", sys.argv[1])
    memory_viz = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(memory_viz)
    source, out = map(pathlib.Path, sys.argv[2:4]) if sys.argv[2:] else (HERE, HERE / "expected")
    inputs = {path.stem: path for path in sorted(source.glob("*.pickle"))}
    if source == HERE:
        inputs["encodings"] = HERE / "encodings" / "protocol4.pickle"
    for name, path in inputs.items():
        snapshot = load(path)
        (out / f"{name}.json").write_text(
            json.dumps([accounts(snapshot, d) for d in devices(snapshot)], indent=1) + "\n"
        )
        if name in NO_FOLDED:
            continue
        for view in ("memory", "segments"):
            lines = getattr(memory_viz, view)(with_clean_names(snapshot), format_flamegraph=lambda text: text)
            (out / f"{name}.{view}.folded").write_text(folded(lines), "utf-8", newline="\n")
    print(f"{len(inputs)} snapshots")


if __name__ == "__main__":
    main()

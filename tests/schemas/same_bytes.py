"""Several commands give the same bytes for one snapshot. `expect(what, found, expected)` notes those that differ."""


def check_bytes(path, answers, expect):
    """The same bytes in every answer about the same moment."""
    stats = {device["device"]: device for device in answers["stats"]["devices"]}

    def same(what, found, expected):
        expect(f"{path.name}: {what}", found, expected)

    for device in answers["state"]["devices"]:
        check_state(path, answers["state"], device, expect)
    for device in answers["timeline"]["devices"]:
        whole = stats[device["device"]]
        peak = device["peak"]
        same("timeline: peak", peak["live_bytes"], whole["peak_requested_bytes"])
        same("timeline: event of the peak", peak["event"], whole["peak_event"])
        same("timeline: ooms", len(device["ooms"]), whole["ooms"])
        if whole["unmatched_frees"] == 0 and whole["balanced"]:
            held = sum(one["bytes"] for one in peak["holders"]) + peak["others"]["bytes"]
            same("timeline: who held the peak", held, peak["live_bytes"])
            same("timeline: its end", device["curve"][-1]["live_bytes"], whole["end_requested_bytes"])
        same("timeline: the curve has the peak", max(point["live_bytes"] for point in device["curve"]), peak["live_bytes"])
        events = [point["event"] for point in device["curve"]]
        same("timeline: the curve goes forward", events, sorted(set(events)))
    tree = answers["export"]
    own = [node["self_bytes"] for node in tree["nodes"]]
    same("tree: its parts", sum(own), tree["root_bytes"])
    outside = sum(device["outside_bytes"] for device in stats.values())
    same("tree: the root", tree["root_bytes"], sum(device["reserved_bytes"] for device in stats.values()) + outside)
    for device in answers["report"]["devices"]:
        same("report: peak", device["peak_bytes"], stats[device["device"]]["peak_requested_bytes"])
        same("report: kinds", sum(kind["bytes"] for kind in device["kinds"]), device["requested_bytes"])
    by_kind = {}
    for device in answers["report"]["devices"]:
        for kind in device["kinds"]:
            by_kind[kind["kind"]] = by_kind.get(kind["kind"], 0) + kind["bytes"]
    weights = sum(entry["size_bytes"] for entry in answers["report"]["weights"])
    same("report: weights", weights, by_kind.get("parameter", 0))
    seen = {}
    for line in answers["trace"]["lines"]:
        if line["kind"] == "event":
            seen[line["device"]] = seen.get(line["device"], 0) + 1
    for device, whole in stats.items():
        same("trace: events", seen.get(device, 0), whole["events"])


def check_state(path, state, device, expect):
    """Segments consist of blocks, and the totals of both."""
    segments = [segment for segment in state["segments"] if segment["device"] == device["device"]]
    by_state = {}
    for segment in segments:
        sizes = sum(block["size_bytes"] for block in segment["blocks"])
        expect(f"{path.name}: state: segment {segment['address']}", sizes + segment["uncovered_bytes"], segment["total_bytes"])
        for block in segment["blocks"]:
            by_state[block["state"]] = by_state.get(block["state"], 0) + block["size_bytes"]
    requested = sum(block.get("requested_bytes", 0) for segment in segments for block in segment["blocks"])
    expect(f"{path.name}: state: requested", requested + device["outside_bytes"], device["requested_bytes"])
    expect(f"{path.name}: state: reserved", sum(segment["total_bytes"] for segment in segments), device["reserved_bytes"])
    for name, key in (("active_allocated", "allocated_bytes"), ("active_pending_free", "pending_free_bytes"), ("inactive", "inactive_bytes")):
        expect(f"{path.name}: state: {name}", by_state.get(name, 0), device[key])
    named = sum(block["requested_bytes"] for segment in state["segments"] for block in segment["blocks"] if "line" in block)
    outside = sum(one["outside_bytes"] for one in state["devices"])
    expect(f"{path.name}: state: lines", sum(line["bytes"] for line in state["lines"]), named + outside)

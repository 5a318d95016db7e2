"""Snapshots whose pickle is fine and whose values lie: addresses, sums, order of events, names, repeated keys."""

import pickle

from . import honest
from .encode import python_pickle

HUGE = 1 << 59


def files():
    return _addresses() | _sums() | _events() | _names() | _repeated()


def _cases():
    made = {}

    def case(name, edit, answer="harmless", *words):
        value = honest.snapshot()
        segment, trace = value["segments"][0], value["device_traces"][0]
        edit(value, segment, segment["blocks"], trace)
        made[f"{name}.pickle"] = python_pickle(value), {"answer": answer} | ({"words": list(words)} if words else {})

    return made, case


def _addresses():
    made, case = _cases()
    case("negative_address", lambda v, s, b, t: s.update(address=-4096))
    case("negative_block_address", lambda v, s, b, t: b[0].update(address=-1))
    case("block_outside_segment", lambda v, s, b, t: b[0].update(address=s["address"] + (1 << 40)))
    case("block_past_address_space", lambda v, s, b, t: b[0].update(address=(1 << 64) - 1))
    case("segment_twice", lambda v, s, b, t: v["segments"].append(dict(s)), "warned", "overlap")
    case(
        "overlapping_segments",
        lambda v, s, b, t: v["segments"].append(s | {"address": s["address"] + 512}),
        "warned",
        "overlap",
    )
    case("overlapping_blocks", lambda v, s, b, t: [x.update(address=s["address"]) for x in b])
    case("blocks_backwards", lambda v, s, b, t: b.reverse())
    case("negative_stream", lambda v, s, b, t: s.update(stream=-(1 << 63)))
    return made


def _sums():
    made, case = _cases()
    big = {"action": "alloc", "addr": 1, "size": HUGE, "stream": 0, "frames": [], "time_us": 1}
    case("blocks_smaller_than_segment", lambda v, s, b, t: b.pop(), "warned", "unaccounted")
    case(
        "requested_above_size",
        lambda v, s, b, t: [x.update(requested_size=(1 << 63) - 1) for x in b],
        "warned",
        "requested_size",
    )
    case(
        "negative_requested_size",
        lambda v, s, b, t: b[0].update(state="active_allocated", requested_size=-1),
        "bad value",
        "requested_size",
    )
    case("event_sizes_overflow", lambda v, s, b, t: t.extend(big | {"addr": n} for n in range(40)), "rejected")
    case(
        "freed_sizes_overflow",
        lambda v, s, b, t: t.extend(big | {"addr": n, "action": "free_completed"} for n in range(40)),
        "rejected",
    )
    case("segments_without_bytes", lambda v, s, b, t: v.update(segments=[s | {"total_size": 0, "blocks": []}] * 3))
    return made


def _events():
    made, case = _cases()
    case("events_backwards", lambda v, s, b, t: t.reverse())
    case("every_event_twice", lambda v, s, b, t: t.extend(list(t)))
    case(
        "freed_twice",
        lambda v, s, b, t: t.extend([{"action": "free_completed", "addr": 1, "size": 5, "stream": 0}] * 3),
    )
    case(
        "allocated_twice",
        lambda v, s, b, t: t.extend([{"action": "alloc", "addr": 1, "size": 5, "stream": 0}] * 3),
        "warned",
        "balance",
    )
    case(
        "freed_with_another_size",
        lambda v, s, b, t: t.extend(
            {"action": a, "addr": 1, "size": z, "stream": 0} for a, z in (("alloc", 512), ("free_completed", 9))
        ),
    )
    case(
        "times_at_the_limits",
        lambda v, s, b, t: [e.update(time_us=(-1) ** n * ((1 << 63) - 1)) for n, e in enumerate(t)],
    )
    case("times_beyond_64_bits_of_sign", lambda v, s, b, t: [e.update(time_us=(1 << 64) - 1) for e in t])
    case("alloc_of_nothing", lambda v, s, b, t: t.append({"action": "alloc", "addr": 0, "size": 0, "stream": 0}))
    return made


# What a terminal, a browser or a person could take for something else.
NAMES = [
    "\x1b[2J\x1b]0;owned\x07",
    "first\nmemviz: everything is fine",
    "\r\x08\x00\x7f\x9b31m",
    "]]><script>alert(1)</script><!--",
    "&lt;&#0;&amp;\"'",
    "\u202egnp.exe\u202c\u2066\u2069\u200b\ufeff",
    "\ud800\udfff\ufffe\uffff",
    "x" * 5000,
]


def _names():
    made, case = _cases()

    def everywhere(value, segment, blocks, trace):
        for number, name in enumerate(NAMES):
            block = blocks[number % len(blocks)]
            block.update(state="active_allocated", frames=[{"name": name, "filename": name, "line": -number}])
            trace[number].update(compile_context=name, user_metadata=name)
            trace.append({"action": name, "addr": 1, "size": 0, "stream": 0})
            value["allocator_settings"][name] = name
            value["external_annotations"].append({"name": name, "stage": name, name: name, "device": 0, "time_us": 1})
            value[name] = name

    made["names_everywhere.pickle"] = _surrogates(everywhere), {"answer": "harmless"}
    case("state_of_control_characters", lambda v, s, b, t: b[0].update(state=NAMES[0]), "warned", "state")
    case("state_of_two_lines", lambda v, s, b, t: b[0].update(state=NAMES[1]), "warned", "state")
    case("state_of_right_to_left_marks", lambda v, s, b, t: b[0].update(state=NAMES[5]), "warned", "state")
    keys = {name: 1 for name in NAMES[:4]}
    made["keys_of_control_characters.pickle"] = python_pickle(keys), {"answer": "not a snapshot"}
    return made


def _surrogates(edit):
    value = honest.snapshot()
    segment = value["segments"][0]
    edit(value, segment, segment["blocks"], value["device_traces"][0])
    return python_pickle(value)


def _repeated():
    """Keys that come twice: the last one counts, as in Python."""
    raw = python_pickle(honest.snapshot(), 2)
    body, end = raw[:-2], raw[-2:]
    assert end == pickle.SETITEMS + pickle.STOP, end

    def again(key, value):
        return body + pickle.BINUNICODE + len(key).to_bytes(4, "little") + key + value + end

    empty = pickle.EMPTY_LIST
    return {
        "segments_key_twice.pickle": (again(b"segments", empty), {"answer": "harmless"}),
        "traces_key_twice.pickle": (again(b"device_traces", empty), {"answer": "harmless"}),
        "traces_key_twice_then_wrong.pickle": (
            again(b"device_traces", pickle.BININT1 + b"\7"),
            {"answer": "bad value", "words": ["device_traces"]},
        ),
    }

"""Small files that are large inside, and lies about lengths that stand outside of the pickle."""

import pickle
import struct

from . import honest
from .encode import gzipped, python_pickle, zstd

P2, P4 = pickle.PROTO + b"\x02", pickle.PROTO + b"\x04"
MEGABYTE = 1_000_000
BAD, HARMLESS, REJECTED = {"answer": "bad pickle"}, {"answer": "harmless"}, {"answer": "rejected"}


def files():
    return _packed() | _lengths() | _tiny_containers() | _circles() | _stacks()


def _packed():
    raw = python_pickle(honest.snapshot())
    packed = gzipped(raw)
    return {
        "bomb_zeros.pickle.gz": (gzipped(bytes(20 * MEGABYTE)), {"answer": "not a pickle"}),
        "bomb_zeros.pickle.zst": (zstd(bytes(256 * MEGABYTE)), {"answer": "not a pickle"}),
        "bomb_lists.pickle.gz": (gzipped(P4 + pickle.EMPTY_LIST * (4 * MEGABYTE) + pickle.STOP), HARMLESS),
        "bomb_json.json.gz": (gzipped(b"[" * (4 * MEGABYTE)), REJECTED),
        "empty_members.pickle.gz": (gzipped(b"") * 100 + packed, HARMLESS),
        "wrong_checksum.pickle.gz": (packed[:-8] + b"\0\0\0\0" + packed[-4:], REJECTED),
        "twice_packed.pickle.gz": (gzipped(packed), HARMLESS),
        # One frame: single segment, content of 2^60 bytes, a last raw block of none.
        "huge_content_size.pickle.zst": (b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 1 << 60) + b"\x01\0\0", REJECTED),
        # A window of 2^41 bytes.
        "huge_window.pickle.zst": (b"\x28\xb5\x2f\xfd\x00\xf8" + b"\x01\0\0", REJECTED),
    }


def _lengths():
    at_2 = BAD | {"byte": 2}
    return {
        "length_binbytes8.pickle": (P4 + pickle.BINBYTES8 + struct.pack("<Q", 1 << 40) + b"short" + pickle.STOP, at_2),
        "length_bytearray8.pickle": (
            pickle.PROTO + b"\x05" + pickle.BYTEARRAY8 + struct.pack("<Q", 1 << 32) + b"short" + pickle.STOP,
            at_2,
        ),
        "length_frame.pickle": (P4 + pickle.FRAME + struct.pack("<Q", 1 << 63) + pickle.EMPTY_LIST + pickle.STOP, at_2),
        "length_short_string.pickle": (P2 + pickle.SHORT_BINSTRING + b"\xffabc" + pickle.STOP, at_2),
        "memo_index_negative.pickle": (
            pickle.EMPTY_LIST + pickle.PUT + b"-1\n" + pickle.STOP,
            BAD | {"byte": 1},
        ),
        "line_without_end.pickle": (P2 + pickle.UNICODE + b"a text of protocol 0 that no newline ends", at_2),
    }


def _inside(junk):
    """An honest snapshot with `junk`, which makes one value, under a key that means nothing."""
    raw = python_pickle(honest.snapshot(), 2)
    # PROTO 2, EMPTY_DICT, BINPUT 0, MARK: the next is the first key.
    assert raw[:6] == P2 + b"}q\0(", raw[:6]
    return raw[:6] + pickle.BINUNICODE + struct.pack("<I", 4) + b"junk" + junk + raw[6:]


def _tiny_containers():
    count = MEGABYTE
    many = {
        "tiny_lists": pickle.MARK + pickle.EMPTY_LIST * count + pickle.LIST,
        "tiny_dicts": pickle.MARK + pickle.EMPTY_DICT * count + pickle.LIST,
        "tiny_tuples": pickle.MARK + (pickle.NONE + pickle.TUPLE1) * count + pickle.LIST,
        "tiny_sets": pickle.MARK + pickle.EMPTY_SET * count + pickle.LIST,
        "memo_flood": pickle.NONE
        + pickle.LONG_BINPUT.join([b""] + [struct.pack("<I", 1000 + index) for index in range(count // 100)]),
        "dup_flood": pickle.MARK + pickle.NONE + pickle.DUP * count + pickle.LIST,
        "nested_tuples": pickle.EMPTY_TUPLE + pickle.TUPLE1 * count,
    }
    return {f"{name}.pickle.gz": (gzipped(_inside(junk)), HARMLESS) for name, junk in many.items()}


def _circles():
    made = {}

    def case(name, word, edit, answer="bad value"):
        value = honest.snapshot()
        edit(value, value["segments"][0], value["device_traces"][0])
        made[f"{name}.pickle"] = python_pickle(value), {"answer": answer} | ({"words": [word]} if word else {})

    case("trace_contains_itself", "device_traces", lambda v, s, t: t.append(t))
    case("traces_contain_themselves", "device_traces", lambda v, s, t: v["device_traces"].append(v["device_traces"]))
    case("blocks_contain_themselves", "block", lambda v, s, t: s["blocks"].append(s["blocks"]))
    case("frames_contain_themselves", "frame", lambda v, s, t: t[0]["frames"].append(t[0]["frames"]))
    case("event_as_its_own_frames", "frames", lambda v, s, t: t[0].update(frames=t[0]))
    case(
        "settings_contain_themselves",
        "",
        lambda v, s, t: v["allocator_settings"].update(again=v["allocator_settings"]),
        "harmless",
    )
    case("snapshot_as_its_own_annotation", "", lambda v, s, t: v["external_annotations"].append(v), "harmless")
    return made


def _stacks():
    """What stands on the stack beside the result of STOP, or is no result at all."""
    raw = python_pickle(honest.snapshot())
    return {
        "values_left_at_stop.pickle": (P4 + pickle.NONE * 3 + raw[2:], HARMLESS),
        "abandoned_snapshot.pickle": (raw[:-1] + pickle.EMPTY_LIST + pickle.STOP, HARMLESS),
        "mark_as_result.pickle": (P2 + pickle.MARK + pickle.STOP, BAD | {"byte": 3}),
        "snapshot_twice.pickle": (raw[:-1] + pickle.POP + raw[2:], HARMLESS),
    }

"""Files that are not snapshots, or that want to harm a reader, with the answer that each must get.

Nothing here is ever loaded by this script; tests hold memviz against the answers in hostile/expected.json.
"""

import io
import json
import pickle
import struct
import zipfile

from . import honest, hostile_bombs, hostile_values
from .encode import gzipped, python_pickle, zstd

P2, P4 = pickle.PROTO + b"\x02", pickle.PROTO + b"\x04"


def files():
    """(name -> bytes, name -> expected answer)."""
    made, answers = {}, {}
    parts = (_opcodes(), _bombs(), _broken_stack(), _truncated(), _something_else(), _wrong_values())
    for part in (*parts, hostile_bombs.files(), hostile_values.files()):
        for name, (raw, answer) in part.items():
            made[f"hostile/{name}"], answers[name] = raw, answer
    made["hostile/expected.json"] = (json.dumps(answers, indent=1) + "\n").encode()
    return made, answers


def text(value):
    return pickle.SHORT_BINUNICODE + bytes([len(value)]) + value.encode()


def _opcodes():
    """An honest looking snapshot whose device_traces need one opcode that constructs or calls; the first such opcode is
    the one that the file is named after."""
    one, pair = pickle.BININT1 + b"\x01", text("os") + text("getpid")
    cases = {
        "GLOBAL": (b"", pickle.GLOBAL + b"os\ngetpid\n"),
        "STACK_GLOBAL": (pair, pickle.STACK_GLOBAL),
        "REDUCE": (text("getpid") + pickle.EMPTY_TUPLE, pickle.REDUCE),
        "BUILD": (pickle.EMPTY_LIST + pickle.EMPTY_DICT, pickle.BUILD),
        "INST": (pickle.MARK, pickle.INST + b"os\ngetpid\n"),
        "OBJ": (pickle.MARK + text("getpid"), pickle.OBJ),
        "NEWOBJ": (text("list") + pickle.EMPTY_TUPLE, pickle.NEWOBJ),
        "NEWOBJ_EX": (text("list") + pickle.EMPTY_TUPLE + pickle.EMPTY_DICT, pickle.NEWOBJ_EX),
        "PERSID": (b"", pickle.PERSID + b"storage\n"),
        "BINPERSID": (one, pickle.BINPERSID),
        "EXT1": (b"", pickle.EXT1 + b"\x01"),
        "EXT2": (b"", pickle.EXT2 + b"\x01\x02"),
        "EXT4": (b"", pickle.EXT4 + b"\x01\x02\x03\x04"),
        "NEXT_BUFFER": (b"", pickle.NEXT_BUFFER),
        "READONLY_BUFFER": (text("bytes"), pickle.READONLY_BUFFER),
    }
    made = {}
    start = P4 + pickle.EMPTY_DICT + pickle.MARK + text("segments") + pickle.EMPTY_LIST + text("device_traces")
    for name, (before, opcode) in cases.items():
        raw = start + before + opcode + pickle.SETITEMS + pickle.STOP
        made[f"opcode_{name.lower()}.pickle"] = raw, {"answer": "refused", "opcode": name, "byte": len(start + before)}
    classic = (
        pickle.GLOBAL
        + b"os\nsystem\n"
        + pickle.MARK
        + pickle.STRING
        + b"'echo memviz ran this'\n"
        + pickle.TUPLE
        + pickle.REDUCE
        + pickle.STOP
    )
    made["os_system.pickle"] = classic, {"answer": "refused", "opcode": "GLOBAL", "byte": 0}
    inside = P2 + python_pickle(honest.snapshot(), 2)[2:-1]
    made["os_system_after_snapshot.pickle"] = inside + pickle.POP + classic, {
        "answer": "refused",
        "opcode": "GLOBAL",
        "byte": len(inside) + 1,
    }
    return made


def _bombs():
    bad = {"answer": "bad pickle"}
    return {
        "length_binunicode.pickle": (
            P2 + pickle.BINUNICODE + b"\xff\xff\xff\xff" + b"only 13 bytes",
            bad | {"byte": 2},
        ),
        "length_binunicode8.pickle": (
            P4 + pickle.BINUNICODE8 + struct.pack("<Q", 1 << 62) + b"short" + pickle.STOP,
            bad | {"byte": 2},
        ),
        "length_binunicode8_wraps.pickle": (
            P4 + pickle.BINUNICODE8 + struct.pack("<Q", (1 << 64) - 6) + b"short" + pickle.STOP,
            bad | {"byte": 2},
        ),
        "length_long4.pickle": (
            P2 + pickle.LONG4 + struct.pack("<i", (1 << 31) - 1) + b"\x01" + pickle.STOP,
            bad | {"byte": 2},
        ),
        "length_long4_negative.pickle": (
            P2 + pickle.LONG4 + struct.pack("<i", -4) + b"\x01" + pickle.STOP,
            bad | {"byte": 2},
        ),
        "length_binstring_negative.pickle": (
            P2 + pickle.BINSTRING + struct.pack("<i", -1) + b"abc" + pickle.STOP,
            bad | {"byte": 2},
        ),
        "integer_of_255_bytes.pickle": (
            P2 + pickle.LONG1 + b"\xff" + b"\x7f" * 255 + pickle.STOP,
            {"answer": "not a snapshot"},
        ),
        "integer_above_64_bits.pickle": (_list_of(pickle.LONG1 + b"\x0a" + b"\xff" * 9 + b"\0"), {"answer": "bad value"}),
        "integer_text_of_20000_digits.pickle": (
            P2 + pickle.LONG + b"9" * 20_000 + b"L\n" + pickle.STOP,
            {"answer": "not a snapshot"},
        ),
        "memo_index.pickle": (
            P2 + pickle.EMPTY_LIST + pickle.LONG_BINPUT + b"\xff\xff\xff\xff" + pickle.STOP,
            {"answer": "harmless"},
        ),
        "memo_index_text.pickle": (
            pickle.EMPTY_LIST + pickle.PUT + b"99999999999999999999999\n" + pickle.STOP,
            bad | {"byte": 1},
        ),
        "deep_lists.pickle.gz": (
            gzipped(P2 + pickle.EMPTY_LIST * 100_000 + pickle.APPEND * 99_999 + pickle.STOP),
            {"answer": "rejected"},
        ),
        "deep_tuples.pickle": (P2 + pickle.EMPTY_TUPLE + pickle.TUPLE1 * 20_000 + pickle.STOP, {"answer": "rejected"}),
        "deep_marks.pickle": (P2 + pickle.MARK * 20_000 + pickle.STOP, {"answer": "rejected"}),
        "deep_json.json.gz": (gzipped(b"[" * 20_000 + b"]" * 20_000), {"answer": "rejected"}),
        "doubling.pickle": (_doubling(), {"answer": "rejected"}),
        "list_as_its_own_segments.pickle": (
            P4 + pickle.EMPTY_LIST + pickle.MEMOIZE + pickle.BINGET + b"\0" + pickle.APPEND + pickle.STOP,
            {"answer": "not a snapshot"},
        ),
        "segments_contain_themselves.pickle": (
            P4
            + pickle.EMPTY_DICT
            + text("segments")
            + pickle.EMPTY_LIST
            + pickle.MEMOIZE
            + pickle.BINGET
            + b"\0"
            + pickle.APPEND
            + pickle.SETITEM
            + pickle.STOP,
            {"answer": "bad value", "words": ["segment"]},
        ),
    }


def _list_of(item):
    return P2 + pickle.EMPTY_LIST + pickle.MARK + item + pickle.APPENDS + pickle.STOP


def _doubling():
    """Forty lists, each of twice the one before: 120 bytes that are 2^40 elements when copied instead of shared."""
    raw = P2 + pickle.EMPTY_LIST + pickle.BINPUT + b"\0"
    for index in range(40):
        twice = (pickle.BINGET + bytes([index])) * 2
        raw += pickle.EMPTY_LIST + pickle.MARK + twice + pickle.APPENDS + pickle.BINPUT + bytes([index + 1])
    return raw + pickle.STOP


def _broken_stack():
    one = pickle.BININT1 + b"\x01"
    cases = {
        "mark_missing_appends": (P2 + pickle.EMPTY_LIST, pickle.APPENDS),
        "mark_missing_tuple": (P2 + one, pickle.TUPLE),
        "mark_missing_dict": (P2, pickle.DICT),
        "mark_missing_pop_mark": (P2, pickle.POP_MARK),
        "stack_empty_append": (P2, pickle.APPEND),
        "stack_empty_stop": (P2, pickle.STOP),
        "stack_empty_pop": (P2, pickle.POP),
        "stack_short_tuple3": (P2 + one, pickle.TUPLE3),
        "stack_short_setitem": (P2 + pickle.EMPTY_DICT + one, pickle.SETITEM),
        "stack_empty_memoize": (P4, pickle.MEMOIZE),
        "appends_to_mark_only": (P2 + pickle.MARK + one, pickle.APPENDS),
        "setitems_odd": (P2 + pickle.EMPTY_DICT + pickle.MARK + text("key"), pickle.SETITEMS),
        "dict_odd": (P2 + pickle.MARK + one, pickle.DICT),
        "append_to_int": (P2 + one + one, pickle.APPEND),
        "setitem_on_list": (P2 + pickle.EMPTY_LIST + one + one, pickle.SETITEM),
        "list_as_key": (P2 + pickle.EMPTY_DICT + pickle.EMPTY_LIST + one, pickle.SETITEM),
        "memo_get_unset": (P2, pickle.BINGET + b"\x07"),
        "memo_long_get_unset": (P2, pickle.LONG_BINGET + b"\xf0\xff\xff\xff"),
        "memo_get_text_unset": (P2, pickle.GET + b"12\n"),
        "frame_past_end": (P4, pickle.FRAME + struct.pack("<Q", 1000) + pickle.EMPTY_LIST),
        "unknown_opcode": (P2, b"\xfe"),
        "protocol_6": (b"", pickle.PROTO + b"\x06" + pickle.EMPTY_LIST),
        "int_text_broken": (P2, pickle.INT + b"12x4\n"),
        "string_text_unquoted": (P2, pickle.STRING + b"abc\n"),
    }
    return {
        f"{name}.pickle": (
            before + opcode + (b"" if opcode == pickle.STOP else pickle.STOP),
            {"answer": "bad pickle", "byte": len(before)},
        )
        for name, (before, opcode) in cases.items()
    }


def _truncated():
    raw = python_pickle(honest.snapshot())
    packed, squeezed = gzipped(raw), zstd(raw)
    short = {"answer": "truncated"}
    return {
        "truncated_half.pickle": (raw[: len(raw) // 2], short),
        "truncated_without_stop.pickle": (raw[:-1], short),
        "truncated_proto.pickle": (raw[:1], short),
        "truncated.pickle.gz": (packed[: len(packed) // 2], short),
        "truncated.pickle.zst": (squeezed and squeezed[: len(squeezed) // 2], short),
        "corrupt.pickle.gz": (
            packed[:60] + bytes(b ^ 0x5A for b in packed[60:90]) + packed[90:],
            {"answer": "rejected"},
        ),
        "truncated.json": (json.dumps(honest.snapshot()).encode()[:1000], {"answer": "rejected"}),
        "broken.json": (b'{"segments": [], "device_traces": [[{"action": alloc}]]}', {"answer": "rejected"}),
    }


def _something_else():
    other = {"answer": "not a snapshot"}
    tensors = {"layer.weight": {"shape": (3, 4), "dtype": "float32"}, "layer.bias": {"shape": (3,), "dtype": "float32"}}
    values = {
        "list_of_ints": [1, 2, 3],
        "dict_of_tensors": tensors,
        "string": "segments",
        "number": 7,
        "none": None,
        "list_of_lists": [[], [[]]],
        "list_of_strings": ["segments", "blocks"],
        "dict_without_segments": {"device_traces": [[]]},
    }
    made = {f"pickle_of_{name}.pickle": (python_pickle(value), other) for name, value in values.items()}
    made["json_of_something_else.json"] = b'{"name": "tinyformer", "version": [1, 2]}', other
    made["json_number.json"] = b"1e400", {"answer": "rejected"}
    made["checkpoint.pt"] = _checkpoint(), other | {"words": ["checkpoint"]}
    made["text.txt"] = b"Epoch 1: loss 2.34\nEpoch 2: loss 1.98\n", {"answer": "not a pickle"}
    made["html.pickle"] = b"<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n", {"answer": "not a pickle"}
    made["git_lfs_pointer.pickle"] = (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"ab" * 32 + b"\nsize 1234567\n",
        {"answer": "not a pickle"},
    )
    made["zeros.pickle"] = bytes(4096), {"answer": "not a pickle"}
    made["empty.pickle"] = b"", {"answer": "empty"}
    return made


def _checkpoint():
    """The shape of a file that torch.save writes: a zip archive whose pickle refers to storages."""
    pickled = P2 + pickle.GLOBAL + b"torch._utils\n_rebuild_tensor_v2\n" + pickle.STOP
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, raw in [
            ("archive/data.pkl", pickled),
            ("archive/byteorder", b"little"),
            ("archive/data/0", bytes(64)),
            ("archive/version", b"3\n"),
        ]:
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), raw)
    return out.getvalue()


def _wrong_values():
    """Well-formed pickles whose snapshot cannot be true."""
    made = {}

    def case(name, word, edit, answer="bad value"):
        value = honest.snapshot()
        edit(value, value["segments"][0], value["segments"][0]["blocks"][0], value["device_traces"][0][0])
        made[f"{name}.pickle"] = python_pickle(value), {"answer": answer} | ({"words": [word]} if word else {})

    def overflow(value, segment, block, event):
        for index, item in enumerate(value["segments"]):
            item |= {
                "address": index << 60,
                "total_size": (1 << 64) - 512,
                "blocks": [block | {"address": index << 60, "size": (1 << 64) - 512}],
            }

    case("sizes_overflow", "size", overflow)
    case(
        "blocks_overflow",
        "size",
        lambda v, s, b, e: s.update(total_size=512, blocks=[b | {"size": 1 << 63}] * 2 + [b | {"size": 512}]),
    )
    case("address_overflow", "address", lambda v, s, b, e: s.update(address=(1 << 64) - 512))
    case("negative_size", "size", lambda v, s, b, e: b.update(size=-512))
    case("negative_total_size", "total_size", lambda v, s, b, e: s.update(total_size=-(1 << 21)))
    case("negative_event_size", "size", lambda v, s, b, e: e.update(size=-1))
    case("blocks_larger_than_segment", "size", lambda v, s, b, e: b.update(size=b["size"] + (1 << 21)))
    case("segment_without_address", "address", lambda v, s, b, e: s.pop("address"))
    case("segment_without_blocks", "blocks", lambda v, s, b, e: s.pop("blocks"), "warned")
    case("segment_without_size", "total_size", lambda v, s, b, e: s.pop("total_size"))
    case("block_without_size", "size", lambda v, s, b, e: b.pop("size"))
    case("size_as_string", "size", lambda v, s, b, e: b.update(size="2097152"))
    case("size_as_float", "size", lambda v, s, b, e: b.update(size=2097152.5))
    case("size_as_none", "size", lambda v, s, b, e: b.update(size=None))
    case("unknown_state", "state", lambda v, s, b, e: b.update(state="active_and_well"), "warned")
    case("state_as_int", "state", lambda v, s, b, e: b.update(state=1))
    case("negative_device", "device", lambda v, s, b, e: s.update(device=-1))
    case("huge_device", "device", lambda v, s, b, e: s.update(device=1 << 40))
    case("segments_as_dict", "segments", lambda v, s, b, e: v.update(segments={"0": s}))
    case("segment_as_int", "segment", lambda v, s, b, e: v["segments"].append(5))
    case("block_as_list", "block", lambda v, s, b, e: s["blocks"].append([]))
    case("traces_as_string", "device_traces", lambda v, s, b, e: v.update(device_traces="alloc"))
    case("trace_as_dict", "device_traces", lambda v, s, b, e: v.update(device_traces=[{"action": "alloc"}]))
    case("event_as_int", "event", lambda v, s, b, e: v["device_traces"][0].append(1))
    case("event_without_action", "action", lambda v, s, b, e: e.pop("action"))
    case("frames_as_int", "frames", lambda v, s, b, e: b.update(frames=3))
    case("frame_as_string", "frame", lambda v, s, b, e: b.update(frames=["train.py:3"]))
    for name, frame in [
        ("frame_name_as_int", {"name": 3, "line": 1}),
        ("frame_line_as_string", {"name": "f", "line": "1"}),
    ]:
        case(name, "", lambda v, s, b, e, f=frame: b.update(frames=[{"filename": "a.py"} | f]), "harmless")
    return made

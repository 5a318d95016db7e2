"""Checks that the made files are what they are said to be, before they are written."""

import gzip
import io
import json
import pickle
import pickletools

# Files whose very point is that an account does not add up, or that Python cannot read.
UNBALANCED = {"unbalanced.pickle"}
UNCOVERED = {"uncovered.pickle"}
NOT_FOR_PYTHON = {"not_utf8.pickle"}
STALE_SUMS = {"profile_form.pickle", "bytes_and_sets.pickle"}
FORBIDDEN = {
    "GLOBAL",
    "STACK_GLOBAL",
    "REDUCE",
    "BUILD",
    "INST",
    "OBJ",
    "NEWOBJ",
    "NEWOBJ_EX",
    "PERSID",
    "BINPERSID",
    "EXT1",
    "EXT2",
    "EXT4",
    "NEXT_BUFFER",
    "READONLY_BUFFER",
}


def valid_files(made):
    first, used = None, set()
    for name, raw in made.items():
        if name in NOT_FOR_PYTHON or name.endswith(".zst"):
            continue
        if name.endswith(".pickle"):
            used |= _opcodes(raw)
        value = _load(name, raw)
        if name.startswith("encodings/"):
            comparable = json.dumps(value)
            first = first or comparable
            assert comparable == first, f"{name} differs from the other encodings"
        consistent(name, value)
    # Every opcode that holds data stands in at least one valid file. BYTEARRAY8 is for out-of-band buffers.
    missing = {op.name for op in pickletools.opcodes} - FORBIDDEN - used - {"BYTEARRAY8"}
    assert not missing, missing


def _opcodes(raw):
    return {op.name for op, _, _ in pickletools.genops(raw)}


def _load(name, raw):
    if name.endswith(".json"):
        return json.loads(raw)
    if name.endswith(".gz"):
        raw = gzip.decompress(raw)
    assert not _opcodes(raw) & FORBIDDEN, name
    return pickle.loads(raw)


def consistent(name, value):
    segments = value if isinstance(value, list) else value["segments"]
    host = [] if isinstance(value, list) else value.get("host_segments", [])
    for segment in segments + host:
        blocks = segment["blocks"]
        covered = sum(b["size"] for b in blocks)
        assert covered == segment["total_size"] or name in UNCOVERED, name
        at = segment["address"]
        for block in blocks:
            assert block.get("address", at) == at, name
            at += block["size"]
        if name in STALE_SUMS:
            continue
        active = [b for b in blocks if b["state"] != "inactive"]
        assert segment["active_size"] == sum(b["size"] for b in active), name
        assert segment["allocated_size"] == sum(b["size"] for b in active if b["state"] == "active_allocated"), name
        if "requested_size" in segment:
            assert segment["requested_size"] == sum(b["requested_size"] for b in active), name
    if isinstance(value, dict):
        for device, trace in enumerate(value.get("device_traces", [])):
            mine = [s for s in segments if s["device"] == device]
            assert _balances(mine, trace) == (name not in UNBALANCED), (name, device)
        assert _balances(host, value.get("host_traces", [])), name


def _balances(segments, trace):
    """Whether every recorded alloc that was not freed is an active block of the same size."""
    live = {}
    for event in trace:
        if event["action"] == "alloc":
            assert event["addr"] not in live, event
            live[event["addr"]] = event["size"]
        elif event["action"] == "free_completed":
            live.pop(event["addr"], None)
    for segment in segments:
        at = segment["address"]
        for block in segment["blocks"]:
            if block["state"] != "inactive" and live.get(at) == block.get("requested_size", block["size"]):
                del live[at]
            at += block["size"]
    return not live


def hostile_files(made, answers):
    for name, answer in answers.items():
        raw = made[f"hostile/{name}"]
        if answer["answer"] == "refused":
            refused = next((op.name, at) for op, _, at in pickletools.genops(raw) if op.name in FORBIDDEN)
            assert refused == (answer["opcode"], answer["byte"]), (name, refused)
        elif name.endswith((".gz", ".zst")):
            continue
        elif answer["answer"] in ("bad value", "warned", "harmless") or name.startswith("pickle_of_"):
            assert not _opcodes(raw) & FORBIDDEN, name
            assert _python_accepts(raw), name
        elif answer["answer"] == "bad pickle" or name.startswith(("truncated_", "text", "html", "git_lfs", "zeros")):
            assert not _python_accepts(raw) or name in PYTHON_ACCEPTS, name


# Python's integers have no limit, and its slow decoder keeps the memo in a dict; memviz bounds both. Nor
# does that decoder check the length of a frame.
PYTHON_ACCEPTS = {
    "frame_past_end.pickle",
    "memo_index_text.pickle",
    "integer_of_255_bytes.pickle",
    "integer_above_64_bits.pickle",
    "integer_text_of_20000_digits.pickle",
    "length_frame.pickle",
    "memo_index_negative.pickle",
}


class _DataOnly(pickle._Unpickler):
    """Python's slow decoder, which does not reserve memory for a memo index; it imports nothing here."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}")


def _python_accepts(raw):
    try:
        _DataOnly(io.BytesIO(raw)).load()
    except Exception:  # noqa: BLE001 - any refusal is the expected answer
        return False
    return True

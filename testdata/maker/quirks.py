"""Valid but odd snapshots by file name: names, numbers, containers and accounts that a reader must survive, each made
by editing an honest one."""

import copy
import pickle
import struct

from . import generations as gen
from .allocator import MIB, Clock
from .encode import CppWriter, python_pickle
from .serving import Server
from .stacks import of_places


def files():
    """Name -> bytes, in order."""
    values = {**_accounts(), **_names(), **_containers()}
    return {name: python_pickle(value) for name, value in values.items()} | _bytes()


def _honest(**options):
    """A snapshot whose dicts may be edited without touching others."""
    server = Server(layers=2, clock=Clock(seed=2), **options).load().generate(pages=2)
    for page in server.pages[:1]:
        server.gpu.free(page)
    return copy.deepcopy(gen.snapshot([server.gpu], gen.V2_10))


def _with_stacks(*stacks):
    """Each stack allocates 3 MiB and a little, the next one a little more."""
    server = Server(layers=1)
    for index, places in enumerate(stacks):
        server.gpu.alloc(3 * MIB + 512 * index + 1, of_places(places))
    return gen.snapshot([server.gpu])


def _accounts():
    made = {}
    made["unbalanced.pickle"] = value = _honest()
    events = value["device_traces"][0]
    events.remove(next(e for e in events if e["action"] == "alloc" and e["size"] == 393_300))
    events.append(events[1] | {"addr": 0x7F3AFF000000, "size": 1_000_000})  # an alloc whose block is nowhere
    made["uncovered.pickle"] = value = _honest()
    for segment in value["segments"]:
        if segment["blocks"][-1]["state"] == "inactive":
            segment["blocks"].pop()
    made["stale_requested.pickle"] = value = _honest()
    for index, block in enumerate(b for s in value["segments"] for b in s["blocks"] if b["state"] == "inactive"):
        block["requested_size"] = block["size"] * 3 + index
    made["unpaired_events.pickle"] = value = _honest()  # skip_actions of PyTorch 2.10
    value["device_traces"] = [
        [e for e in value["device_traces"][0] if e["action"] not in ("free_requested", "segment_alloc")]
    ]
    made["unknown_actions_and_keys.pickle"] = value = _honest()
    _add_unknown(value)
    made["unread_keys.pickle"] = value = _honest()
    value["managed_segments"] = [value["segments"][0] | {"device": -2}]
    value["managed_traces"] = [[], value["device_traces"][0][:2]]
    value["world_size"] = 8
    made["recorder_key.pickle"] = value = _honest()
    _add_recorder_key(value)
    made["keepers_key.pickle"] = value = _honest()
    _add_keepers(value)
    made["big_ints.pickle"] = value = _honest()
    _add_big_ints(value)
    return made


def _add_recorder_key(value):
    """Adds what memviz's recorder in Python does: what the tensors are, and what CUDA and NVML said of the device."""
    used = [b for s in value["segments"] if s["device"] == 0 for b in s["blocks"] if b["state"] == "active_allocated"]
    kinds = ("parameter", "buffer", "gradient", "optimizer_state")
    reserved = sum(s["total_size"] for s in value["segments"] if s["device"] == 0)
    value["memviz_recorder"] = {
        "format": 1,
        "torch": "2.15.0",
        "rank": 3,
        "devices": [
            {
                "device": 0,
                "total_bytes": 2 * reserved,
                "free_bytes": reserved // 2,
                "own_outside_bytes": reserved // 8,
                "other_processes": 1,
                "other_processes_bytes": reserved // 4,
            }
        ],
        "tensors": [
            [0, block["address"], block["size"], kinds[index % 4], f"layers.{index // 4}.weight"]
            for index, block in enumerate(used)
        ],
    }


def _add_keepers(value):
    """Adds what memviz's recorder does of the Python heap: a list of outputs in a running function, the graph of its first
    tensor, and an object that refers to itself."""
    events = value["device_traces"][0]
    request = {"action": "oom", "device_free": 4 << 20, "size": 64 << 20, "stream": 0}
    events.append(events[-1] | request | {"frames": events[0]["frames"]})  # at which the file was written
    events[-1].pop("addr", None)
    used = [b for s in value["segments"] if s["device"] == 0 for b in s["blocks"] if b["state"] == "active_allocated"]
    texts = ["", "validate", "/home/user/project/train.py", "outputs", "MulBackward0", "Node", "me", "tensor"]
    kinds = ["frame", "list", "tensor", "autograd", "instance"]
    hows = ["local", "index", "grad_fn", "attribute"]
    held = used[: max(1, len(used) - 1)]  # no object has the last one
    nodes = [[0, 1, 2, 31, -1, 0], [1, 0, 0, 0, len(held), 0]] + [[2, 0, 0, 0, -1, 0] for _ in held]
    graph, node = len(nodes), len(nodes) + 1
    nodes += [[3, 4, 0, 0, -1, 1], [4, 5, 0, 0, -1, 0]]
    edges = [[0, 1, 0, 3]] + [[1, 2 + i, 1, i] for i in range(len(held) - 2)]
    edges += [[2, graph, 2, 0], [node, node, 3, 6], [node, len(held) + 1, 3, 7]]
    storages = [[2 + i, 0, block["address"], block["size"]] for i, block in enumerate(held)]
    storages[-2][0] = graph
    value["memviz_keepers"] = {
        "format": 1,
        "objects": 12345,
        "seconds": 0.25,
        "cut": "",
        "unreadable": 2,
        "texts": texts,
        "kinds": kinds,
        "hows": hows,
        "root_kinds": ["local", "cycle"],
        "root_kind": [0, 1],
        "root_node": [0, node],
    }
    for names, rows in (
        ("node_kind node_name node_file node_line node_items node_hidden", nodes),
        ("edge_from edge_to edge_how edge_label", edges),
        ("storage_node storage_device storage_address storage_bytes", storages),
    ):
        value["memviz_keepers"].update({key: list(column) for key, column in zip(names.split(), zip(*rows))})


def _add_unknown(value):
    events = value["device_traces"][0]
    base = value["segments"][0]["blocks"][0]["address"]
    time_us = events[0]["time_us"]
    label = {"name": "START", "filename": "phase one", "line": 0}
    events[3:3] = [
        {"action": "annotate", "addr": base, "size": 0, "stream": 0, "time_us": time_us, "user_metadata": "weights"},
        {"action": "user_defined", "addr": 0, "size": 0, "stream": 0, "time_us": time_us, "frames": [label]},
        {
            "action": "workspace_snapshot",
            "addr": base,
            "size": 4096,
            "stream": 0,
            "time_us": time_us,
            "workspace": [1, 2],
        },
        {"action": "reticulate", "reason": None},
    ]
    value["rank"] = {"world": 8, "host": "node-3", "started": 1.5e9, "tags": ("a", ())}
    value["segments"][0]["owner"] = ["engine", {"since": True}]
    value["segments"][0]["blocks"][0]["gc_counter"] = 3
    value["segments"][0]["blocks"][0]["frames"][0]["instruction_pointer"] = 0x7FFF_1234_5678
    value["allocator_settings"]["nested"] = {"deeper": {"still": [1, 2.5, None]}}
    value["external_annotations"].append({"free_text": "no name, no device"})


def _add_big_ints(value):
    """Numbers at and around the limits of 63 and 64 bits, as the writers' casts produce them."""
    value["allocator_settings"]["max_split_size"] = (1 << 64) - 1
    high = 0xFFFF_8000_0000_0000  # a segment in the upper half of the address space: 9 bytes of LONG1
    segment, size = value["segments"][-1], value["segments"][-1]["total_size"]
    shift = high - segment["address"]
    for event in value["device_traces"][0]:
        if segment["address"] <= event.get("addr", 0) < segment["address"] + size:
            event["addr"] += shift
    segment["address"] = high
    for block in segment["blocks"]:
        block["address"] += shift
    segment["stream"] = -4_096  # a pointer of that half, cast to int64_t
    first = value["device_traces"][0][0]
    value["device_traces"][0].append(
        {
            "action": "oom",
            "device_free": (1 << 64) - 1,
            "size": 1 << 40,
            "stream": -1,
            "time_us": first["time_us"] + 10**6,
            "compile_context": "N/A",
            "user_metadata": "",
        }
    )
    value["limits"] = [
        0,
        255,
        256,
        65535,
        65536,
        (1 << 31) - 1,
        1 << 31,
        -1,
        -(1 << 31),
        -(1 << 31) - 1,
        (1 << 63) - 1,
        1 << 63,
        -(1 << 63),
        (1 << 64) - 1,
    ]


def _names():
    main = ("/home/zoë/模型/train.py", 7, "<module>")
    odd = [
        "std::pair<int;int>",
        "operator() 7 10",
        "foo 12",
        " leading and trailing ",
        "<script>alert(1)</script>",
        "]]>",
        "a && b &amp; \"c\" 'd'",
        "bell\x07null\x00escape\x1b[31m",
        "line\nbreak\ttab\r",
        "right\u202eto\u200fleft",
        "模型の前向き",
        "\U0001f525\U0001d4d0",
        "",
        "x" * 3000,
        "\u0085next\u2028line",
        "\ufffe\uffff",
        "%s{0}$HOME`id`",
    ]
    stacks = [[("/home/zoë/模型/layer.py", 10 + index, name), main] for index, name in enumerate(odd)]
    files_ = [
        "<script src=x>.py",
        "a;b.py",
        "",
        "??",
        "<string>",
        "<frozen runpy>",
        "no/extension/",
        "sp ace 3.py",
        "\x01\x02.py",
        "&quot;.py",
    ]
    stacks += [[(name, index, "call"), main] for index, name in enumerate(files_)]
    stacks += [[("/w/line.py", line, "line"), main] for line in (-1, 0, 2_000_000_000)]
    windows = "C:\\Users\\Mara Q\\models\\"
    site = "C:\\Python311\\Lib\\site-packages\\torch\\nn\\modules\\linear.py"
    omitted = [
        ("/build/Python/ceval.c", 1, "_PyEval_EvalFrameDefault"),
        ("??", 0, "torch::unwind::unwind()"),
        ("??", 0, "_start"),
    ]
    partly = [
        ("/home/kim/app.py", 3, "on_start"),
        ("/home/kim/Register/form.py", 4, "submit"),
        ("/home/kim/app.py", 9, "<module>"),
    ]
    return {
        "odd_names.pickle": _with_stacks(*stacks),
        "windows_paths.pickle": _with_stacks(
            [(site, 114, "forward"), (windows + "unet.py", 40, "forward"), (windows + "main.py", 5, "<module>")],
            [(windows + "unet.py", 41, "forward"), (windows + "main.py", 5, "<module>")],
        ),
        "all_frames_omitted.pickle": _with_stacks(omitted, partly, partly[:1]),
        "lone_surrogate.pickle": _with_stacks(
            [("/home/kim/app.py", 3, "half \ud83d of a pair"), ("/home/kim/\udcff.py", 4, "main")]
        ),
    }


def _containers():
    made = {"shared_containers.pickle": (shared := _honest())}
    blocks = [b for s in shared["segments"] for b in s["blocks"] if b["frames"]]
    for block in blocks:  # one list of one dict, shared by all blocks, all events and the top level
        block["frames"] = blocks[0]["frames"]
    for event in shared["device_traces"][0]:
        event["frames"] = blocks[0]["frames"]
    shared["again"] = [shared["segments"], shared["segments"][0], shared["device_traces"][0][0]]
    made["self_reference.pickle"] = circle = _honest()
    circle["self"] = circle
    circle["segments"][0]["parent"] = circle["segments"]
    endless = []
    endless.append(endless)
    circle["external_annotations"].append(
        {"name": "loop", "stage": "START", "device": 0, "time_us": 1, "endless": endless}
    )
    return made


def _bytes():
    """Files that Python's pickle module alone does not write."""
    value = _honest()
    name = next(b for s in value["segments"] for b in s["blocks"] if b["frames"])["frames"][-1]
    name["name"] = b"caf\xe9 \xff\xc3\x28 \xf0\x9f\x94 end"
    name["filename"] = b"/home/\x80\xfe.py"
    plain = python_pickle(_honest())
    mixed = pickle.PROTO + b"\x04" + _mixed_data()
    return {
        "not_utf8.pickle": CppWriter().dumps(value),
        "trailing_nul.pickle": plain + b"\0\0\0",
        "trailing_junk.pickle": plain + b"\njunk",
        "bytes_and_sets.pickle": mixed,
    }


def _mixed_data():
    """A small snapshot with, under a key that no reader knows, the data opcodes that no writer of snapshots uses."""
    text = lambda s: pickle.SHORT_BINUNICODE + bytes([len(s)]) + s.encode()  # noqa: E731
    odd = [
        pickle.BINBYTES + struct.pack("<I", 3) + b"abc",
        pickle.SHORT_BINBYTES + b"\x02\xff\x00",
        pickle.BINBYTES8 + struct.pack("<Q", 1) + b"z",
        pickle.EMPTY_SET + pickle.MARK + pickle.BININT1 + b"\x05" + pickle.ADDITEMS,
        pickle.MARK + pickle.BININT1 + b"\x06" + pickle.FROZENSET,
        pickle.BINSTRING + struct.pack("<i", 2) + b"py",
        pickle.LONG4 + struct.pack("<i", 0),
        pickle.LONG1 + b"\0",
    ]
    extra = text("odd") + pickle.EMPTY_LIST + pickle.MARK + b"".join(odd) + pickle.APPENDS
    lists = text("segments") + pickle.EMPTY_LIST + text("device_traces") + pickle.EMPTY_LIST
    return pickle.EMPTY_DICT + pickle.MARK + lists + extra + pickle.SETITEMS + pickle.STOP

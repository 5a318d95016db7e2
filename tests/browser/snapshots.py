"""Snapshots made for one test: as PyTorch writes them, as long, deep, wide or small as the test needs."""

import pickle

from support import new_file

MIB = 2**20


def frame(name, line, filename="/home/me/train.py"):
    return {"name": name, "filename": filename, "line": line}


def torch_frame(name, line):
    return frame(name, line, "/usr/lib/python3/dist-packages/torch/nn/module.py")


def snapshot(stacks, *, free=0, devices=1):
    """Returns a file with one block of a MiB per stack (frames outermost first), the same on every device."""
    segments = []
    for device in range(devices):
        blocks, address = [], (device + 1) << 40
        for stack in stacks:
            blocks.append(
                {"address": address, "size": MIB, "requested_size": MIB, "state": "active_allocated", "frames": stack[::-1]}
            )
            address += MIB
        if free:
            blocks.append({"address": address, "size": free, "requested_size": 0, "state": "inactive", "frames": []})
        total = len(stacks) * MIB + free
        segments.append(
            {"device": device, "address": (device + 1) << 40, "total_size": total, "allocated_size": len(stacks) * MIB,
             "active_size": len(stacks) * MIB, "requested_size": len(stacks) * MIB, "stream": 0, "segment_type": "large",
             "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": blocks}
        )  # fmt: skip
    file = new_file(".pickle")
    file.write_bytes(pickle.dumps({"segments": segments, "device_traces": [[] for _ in range(devices)]}))
    return file


def out_of_memory(kept=80, released=17, capacity=100):
    """A recording that ends with an error. It reserves `kept` MiB and, for its first three quarters, `released` more."""
    frames, base = [frame("main", 1)], 1 << 40
    blocks = [{"address": base + i * MIB, "size": MIB, "requested_size": MIB, "state": "active_allocated", "frames": frames} for i in range(kept)]
    segment = {"device": 0, "address": base, "total_size": kept * MIB, "allocated_size": kept * MIB, "active_size": kept * MIB,
               "requested_size": kept * MIB, "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False,
               "frames": [], "blocks": blocks}  # fmt: skip
    events = [("segment_alloc", base, kept), ("segment_alloc", 2 * base, released)] + [("alloc", block["address"], 1) for block in blocks]
    events.insert(kept * 3 // 4, ("segment_free", 2 * base, released))
    common = {"stream": 0, "frames": frames}
    trace = [{"action": action, "addr": address, "size": size * MIB, **common} for action, address, size in events]
    trace.append({"action": "oom", "size": 50 * MIB, "device_free": (capacity - kept) * MIB, **common})
    file = new_file(".pickle")
    file.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [trace]}))
    return file


def long_names():
    return snapshot([[frame("f" * 200, 12, f"/home/me/{'d' * 200}.py"), frame("模型" * 60, 7)]] * 2, free=MIB)


def deep(levels=300):
    return snapshot([[frame(f"level_{i}", i + 1) for i in range(levels)]], free=MIB // 2)


def recursive(times=40):
    """Returns stacks of a function that calls itself through torch, `times` times."""
    turn = [frame("visit", 5), torch_frame("_wrapped", 1), torch_frame("_call", 2)]
    return snapshot([[frame("main", 1)] + turn * times + [frame("leaf", 9)], [frame("main", 1), frame("other", 3)]])


def mixed(stacks=60):
    """Stacks of the user's own, torch's and C++ frames that share callers and callees, none too narrow to draw."""
    kernel = [frame("at::native::empty_cuda(int)", 0, "??"), frame("c10::cuda::malloc(void**)", 0, "??")]
    own = [[frame("main", 10), frame("step" if i % 3 else "validate", 20 + i % 3)]
           + [torch_frame("_wrapped", 1), torch_frame("_call", 2)] * (i % 4 + 1)
           + [frame(f"block_{i % 7}", 30 + i % 7, "/home/me/model.py")] * (i % 5 > 0) for i in range(stacks)]  # fmt: skip
    return snapshot([stack + kernel[: 1 + i % 2] for i, stack in enumerate(own)] + [kernel], free=7 * MIB, devices=2)


def wide(leaves=5000):
    """Four rows of `leaves` boxes."""
    rows = [[frame(f"{part}_{i}", i + 1, f"/home/me/part{i % 40}.py") for part in ("stage", "layer", "block", "leaf")]
            for i in range(leaves)]  # fmt: skip
    return snapshot(rows)


def kept(name):
    """Four blocks of a MiB that a list in a function keeps, in a variable of this name."""
    file = snapshot([[frame("main", 1)]] * 4)
    value = pickle.loads(file.read_bytes())
    value["memviz_keepers"] = {
        "format": 1, "objects": 6, "seconds": 0.1, "cut": "", "unreadable": 0,
        "texts": ["", "validate", "/home/me/train.py", name],
        "kinds": ["frame", "list", "tensor"], "hows": ["local", "index"], "root_kinds": ["local"],
        "node_kind": [0, 1, 2, 2, 2, 2], "node_name": [1, 0, 0, 0, 0, 0], "node_file": [2, 0, 0, 0, 0, 0],
        "node_line": [31, 0, 0, 0, 0, 0], "node_items": [-1, 4, -1, -1, -1, -1], "node_hidden": [0] * 6,
        "edge_from": [0, 1, 1, 1, 1], "edge_to": [1, 2, 3, 4, 5], "edge_how": [0, 1, 1, 1, 1], "edge_label": [3, 0, 1, 2, 3],
        "root_kind": [0], "root_node": [0],
        "storage_node": [2, 3, 4, 5], "storage_device": [0] * 4, "storage_bytes": [MIB] * 4,
        "storage_address": [(1 << 40) + i * MIB for i in range(4)],
    }  # fmt: skip
    value["device_traces"] = [[
        {"action": "alloc", "addr": (1 << 40) + i * MIB, "size": MIB, "stream": 0, "frames": [frame("main", 1)]} for i in range(4)
    ]]  # fmt: skip
    file.write_bytes(pickle.dumps(value))
    return file

"""Snapshots with keepers that no program recorded."""


def kept_by_a_list(snapshot):
    """Returns the snapshot with a global list of tensors, which have all blocks in use at its end."""
    blocks = [block for segment in snapshot["segments"] for block in segment["blocks"] if block["state"] == "active_allocated"]
    tensors = range(2, 2 + len(blocks))
    keepers = {
        "format": 1, "objects": 1000, "seconds": 0.1, "cut": "", "unreadable": 0, "texts": ["", "__main__", "kept", "train.py", "<module>"],
        "kinds": ["globals", "list", "tensor"], "hows": ["global", "index"], "root_kinds": ["main"],
        "node_kind": [0, 1, *(2 for _ in tensors)], "node_name": [1, 0, *(0 for _ in tensors)],
        "node_file": [3, 0, *(0 for _ in tensors)], "node_line": [0, 0, *(0 for _ in tensors)],
        "node_items": [1, len(blocks), *(-1 for _ in tensors)], "node_hidden": [0, 0, *(0 for _ in tensors)],
        "edge_from": [0, *(1 for _ in tensors)], "edge_to": [1, *tensors], "edge_how": [0, *(1 for _ in tensors)],
        "edge_label": [2, *range(len(blocks))], "root_kind": [0], "root_node": [0],
        "storage_node": list(tensors), "storage_device": [0 for _ in tensors],
        "storage_address": [block["address"] for block in blocks], "storage_bytes": [block["requested_size"] for block in blocks],
        "place_hows": ["set", "used"], "place_node": [0, 0], "place_variable": [2, 2], "place_how": [0, 1], "place_name": [4, 2],
        "place_file": [3, 3], "place_line": [1, 7],
    }
    return {**snapshot, "memviz_keepers": keepers}


def kept_by_running_line(snapshot):
    """Returns the snapshot with the same list as a local variable of a library's function, whose value will be `model`."""
    kept = kept_by_a_list(snapshot)
    keepers = kept["memviz_keepers"]
    caller = len(keepers["node_kind"])
    keepers["texts"] += ["model", "cuda", "/usr/lib/python3/site-packages/torch/nn/modules/module.py"]
    keepers.update(kinds=["frame", "list", "tensor"], hows=["local", "index"], root_kinds=["local"])
    for name, library, own in (("kind", 0, 0), ("name", 6, 4), ("file", 7, 3), ("line", 900, 12), ("items", -1, -1), ("hidden", 0, 0)):
        keepers[f"node_{name}"][0] = library
        keepers[f"node_{name}"].append(own)
    keepers.update(root_kind=[0, 0], root_node=[0, caller])
    keepers.update(place_hows=["would set"], place_node=[caller], place_variable=[5], place_how=[0], place_name=[4], place_file=[3], place_line=[12])
    return kept

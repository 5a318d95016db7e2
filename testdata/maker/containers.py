"""Snapshots as people have them: compressed, in an archive, wrapped in other data, gathered from ranks."""

import base64
import bz2
import io
import json
import lzma
import pickle
import tarfile
import zipfile

from .encode import gzipped, python_pickle


def files(made):
    """Name -> bytes, in order; `made` has before.pickle and after.pickle, the snapshots in all of them."""
    before, after = made["before.pickle"], made["after.pickle"]
    ranks = {"job/rank0.pickle": before, "job/rank1.pickle": after}
    return {
        f"containers/{name}": raw
        for name, raw in {
            "before.pickle.xz": lzma.compress(before),
            "before.pickle.bz2": bz2.compress(before),
            "before.zip": zipped({"before.pickle": before}),
            "before.tar.gz": gzipped(tarred({"before.pickle": before})),
            "before.base64.txt": base64.encodebytes(before),
            "before.html": page(before),
            "nested.zip": zipped({"logs/attachment.tar.gz": gzipped(tarred({"before.pickle.xz": lzma.compress(before)}))}),
            "ranks.zip": zipped({"README.md": b"from the cluster\n", "__MACOSX/job/._rank0.pickle": b"\0", **ranks}),
            "ranks.tar": tarred(ranks),
            "saved.pt": torch_saved(pickle.loads(before)),
            "saved_by_1.5.pt": torch_saved_by_1_5(pickle.loads(before)),
            **wrapped(pickle.loads(before), pickle.loads(after)),
        }.items()
    }


def wrapped(before, after):
    values = {
        "wrapped": {"rank": 0, "step": 10, "snapshot": before},
        "tuple": (before, {"note": "after the first page"}),
        "gathered_list": [before, None, after],
        "by_rank": {0: before, 1: after},
        "events_alone": before["device_traces"],
        "by_name": {"rank_0": {"state": before}, "rank_1": {"state": after}},
    }
    return {f"{name}.pickle": python_pickle(value) for name, value in values.items()} | {
        "gathered_list.json": json.dumps([before, after]).encode()
    }


def zipped(entries):
    """Stored, because what deflates them differs between versions of zlib; a unit test deflates."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, raw in entries.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), raw)
    return out.getvalue()


def tarred(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, raw in entries.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(raw)
            archive.addfile(entry, io.BytesIO(raw))
    return out.getvalue()


def page(snapshot):
    """As torch/cuda/_memory_viz.py makes it of a template; its script is on the web."""
    raw = snapshot + b"\0" * (3 - len(snapshot) % 3)
    files = json.dumps([{"name": "snapshot.pickle", "base64": base64.b64encode(raw).decode()}])
    return f"""\
<!DOCTYPE html>
<html>
<head>
</head>
<body>
<script type="module">
import {{add_local_files}} from "https://cdn.jsdelivr.net/gh/pytorch/pytorch@main/torch/utils/viz/MemoryViz.js"
const local_files = {files}
add_local_files(local_files, "Active Memory Timeline")
</script>
</body>
""".encode()


def torch_saved(value):
    entries = {
        "data.pkl": python_pickle(value, 2),
        ".format_version": b"1",
        "byteorder": b"little",
        "version": b"3\n",
        ".data/serialization_id": b"0" * 40,
    }
    return zipped({f"saved/{name}": raw for name, raw in entries.items()})


def torch_saved_by_1_5(value):
    """Five pickles: a number, the version of the form, the system, the object, the keys of its tensors."""
    system = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    return b"".join(python_pickle(part, 2) for part in (0x1950A86A20F9469CFC6C, 1001, system, value, []))

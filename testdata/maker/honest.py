"""The small snapshot that hostile files are made from: two segments, three blocks, five events, all of it true."""

FRAMES = [
    {"name": "forward", "filename": "/app/model.py", "line": 7},
    {"name": "step", "filename": "/app/train.py", "line": 12},
]
BASE = 0x7F0000000000
PIECE = 2 << 20


def snapshot():
    def frames():
        return [dict(frame) for frame in FRAMES]

    def block(address, size, requested):
        return {
            "address": address,
            "size": size,
            "requested_size": requested,
            "state": "active_allocated" if requested else "inactive",
            "frames": frames() if requested else [],
        }

    def segment(address, blocks):
        active = [b for b in blocks if b["state"] != "inactive"]
        return {
            "device": 0,
            "address": address,
            "total_size": PIECE,
            "allocated_size": sum(b["size"] for b in active),
            "active_size": sum(b["size"] for b in active),
            "requested_size": sum(b["requested_size"] for b in active),
            "stream": 0,
            "segment_type": "small",
            "segment_pool_id": (0, 0),
            "is_expandable": False,
            "frames": [],
            "blocks": blocks,
        }

    def event(action, address, size, time):
        return {"action": action, "addr": address, "size": size, "stream": 0, "time_us": time, "frames": frames()}

    return {
        "segments": [
            segment(BASE, [block(BASE, 1024, 1000), block(BASE + 1024, PIECE - 1024, 0)]),
            segment(BASE + PIECE, [block(BASE + PIECE, PIECE, PIECE - 100)]),
        ],
        "device_traces": [
            [
                event("segment_alloc", BASE, PIECE, 10),
                event("alloc", BASE, 1000, 11),
                event("segment_alloc", BASE + PIECE, PIECE, 12),
                event("alloc", BASE + PIECE, PIECE - 100, 13),
                event("snapshot", 0, 0, 14),
            ]
        ],
        "allocator_settings": {"max_split_size": -1, "expandable_segments": False},
        "external_annotations": [],
    }

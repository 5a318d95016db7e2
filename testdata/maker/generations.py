"""Allocators -> the snapshot object that a PyTorch of a given generation writes.

A generation is the version, as a pair, in which a key first appeared; the tables of keys are those of
torch/csrc/cuda/Module.cpp and torch/csrc/cuda/memory_snapshot.cpp, PyTorch 1.13 to 2.15-dev.
"""

from .allocator import ALLOCATED, INACTIVE, PENDING, UNMAPPED

V1_13, V2_0, V2_1, V2_2, V2_3, V2_5, V2_8, V2_10, V2026 = (
    (1, 13),
    (2, 0),
    (2, 1),
    (2, 2),
    (2, 3),
    (2, 5),
    (2, 8),
    (2, 10),
    (2, 15),
)
EMPTY = []  # PyTorch shares one empty frame list


def snapshot(allocators, version=V2_5, *, annotations=(), settings=None, cpp_frames=None, with_addresses=True):
    """The object to pickle. `cpp_frames` is a text for 2.0's key of that name; `with_addresses` is off in early 2.1."""
    devices = {a.device: a for a in allocators}
    segments = [
        _segment(s, blocks, version, cpp_frames, with_addresses)
        for device in sorted(devices)
        for s, blocks in _mapped_ranges(devices[device])
    ]
    if version < V2_0:
        return segments
    count = max(devices, default=-1) + 1
    traces = [[_event(e, version, cpp_frames) for e in devices[d].events] if d in devices else [] for d in range(count)]
    made = {"segments": segments, "device_traces": traces}
    if version >= V2_3:
        made["allocator_settings"] = settings or allocator_settings(version)
    if version >= V2_5:
        made["external_annotations"] = list(annotations)
    return made


def allocator_settings(version=V2_5, conf="", **changes):
    settings = {
        "PYTORCH_CUDA_ALLOC_CONF": conf,
        "max_split_size": -1,
        "garbage_collection_threshold": 0.0,
        "expandable_segments": False,
        "pinned_num_register_threads": 1,
        "release_lock_on_cudamalloc": False,
        "pinned_use_cuda_host_register": False,
    }
    if version >= V2_10:
        settings["graph_capture_record_stream_reuse"] = False
    settings["roundup_power2_divisions"] = {str(1 << i): 0 for i in range(16)}
    return settings | changes


def annotation(name, stage, time_us, device=0, **metadata):
    return {"stage": stage, "name": name, **metadata, "device": device, "time_us": time_us}


def _mapped_ranges(allocator):
    """(segment, blocks) by address; a hole in an expandable segment makes two of it."""
    for segment in sorted(allocator.segments, key=lambda s: s.address):
        run = []
        for block in segment.blocks:
            if block.state != UNMAPPED:
                run.append(block)
            elif run:
                yield segment, run
                run = []
        if run:
            yield segment, run


def _segment(segment, blocks, version, cpp_frames, with_addresses):
    active = [b for b in blocks if b.state in (ALLOCATED, PENDING)]
    made = {
        "device": segment.device,
        "address": blocks[0].address,
        "total_size": sum(b.size for b in blocks),
        "allocated_size": sum(b.size for b in blocks if b.state == ALLOCATED),
        "active_size": sum(b.size for b in active),
    }
    if version >= V2_0:
        made["requested_size"] = sum(b.requested for b in active)
    made |= {"stream": segment.stream, "segment_type": "small" if segment.is_small else "large"}
    if version >= V2_1:
        made |= {"segment_pool_id": segment.pool, "is_expandable": segment.is_expandable}
        if not segment.stack:
            made["frames"] = EMPTY
    made["blocks"] = [_block(b, version, cpp_frames, with_addresses) for b in blocks]
    if version >= V2_1 and segment.stack:
        made["frames"] = segment.stack  # the Python writer appends it after the blocks when there is one
    return made


def _block(block, version, cpp_frames, with_addresses):
    made = {"address": block.address} if version >= V2_1 and with_addresses else {}
    made["size"] = block.size
    if version >= V2_0:
        made["requested_size"] = block.requested
    made["state"] = block.state
    if version >= V2_1:
        made["frames"] = block.stack if block.state != INACTIVE and block.stack else EMPTY
    elif block.history:
        made["history"] = [_history_entry(entry, cpp_frames) for entry in block.history]
    return made


def _history_entry(entry, cpp_frames):
    address, real_size, stack = entry
    made = {"addr": address, "real_size": real_size}
    if stack:
        made["frames"] = stack
        if cpp_frames:
            made["cpp_frames"] = cpp_frames
    return made


def _event(event, version, cpp_frames):
    since = {
        "time_us": V2_2,
        "compile_context": V2_8,
        "user_metadata": V2_10,
        "pool_id": V2026,
        "forward_frames": V2026,
        "internal_metadata": V2026,
    }
    made = {k: v for k, v in event.items() if k != "frames" and version >= since.get(k, V1_13)}
    if "frames" in event:
        made["frames"] = event["frames"]
        if cpp_frames and version == V2_0:
            made["cpp_frames"] = cpp_frames
    return made

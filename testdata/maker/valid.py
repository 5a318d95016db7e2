"""The valid snapshots by file name: one for each generation of writers, and one for each way of writing."""

import copy
import json

from . import generations as gen
from .allocator import GIB, KIB, MIB, Allocator, Clock
from .encode import CppWriter, EveryOpcode, gzipped, python_pickle, zstd
from .pinned import PinnedHost
from .serving import SERVE, Server, fine_tune, run_out_of_memory
from .stacks import Program, of_places
from .training import Training


def files():
    """Name -> bytes, in order."""
    return {**_demo(), **_encodings(), **_generations(), **_allocator_features(), **_incomplete()}


def _demo():
    training = Training()
    made = {"training_step.pickle": python_pickle(gen.snapshot([training.run()], annotations=training.annotations))}
    server = Server().load().generate()
    made["before.pickle"] = python_pickle(gen.snapshot([server.gpu]))
    server.gpu.mark_snapshot()
    made["after.pickle"] = python_pickle(gen.snapshot([server.grow_into_after().gpu]))
    for name, base, seed, is_branch in [
        ("run_main", 0x7F10C0000000, 5, False),
        ("run_branch", 0x7EA960000000, 6, True),
    ]:
        gpu = fine_tune(base=base, seed=seed, is_branch=is_branch)
        made[f"{name}.pickle"] = python_pickle(gen.snapshot([gpu], gen.V2_10), 5)
    return made


def _encodings():
    """One snapshot in every form; all of them mean the same."""
    server = Server(layers=2, python_only=True).load().generate(pages=12)
    value = gen.snapshot([server.gpu], annotations=[gen.annotation("warm up", "START", 1_760_000_000_000_100)])
    value["allocator_settings"]["garbage_collection_threshold"] = 0.8
    value["keys_that_no_reader_knows"] = {
        "none": None,
        "tuples": ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)),
        "empty": {},
    }
    made = {f"encodings/protocol{p}.pickle": python_pickle(value, p) for p in range(6)}
    made["encodings/cpp_writer.pickle"] = CppWriter().dumps(value)
    made["encodings/every_opcode.pickle"] = EveryOpcode().dumps(value)
    made["encodings/snapshot.json"] = json.dumps(value).encode()
    made["encodings/snapshot.pickle.gz"] = gzipped(made["encodings/protocol4.pickle"])
    made["encodings/snapshot.pickle.zst"] = zstd(made["encodings/protocol4.pickle"])
    many = Server(layers=1, clock=Clock(seed=9)).load()
    for number in range(112):
        many.gpu.user_metadata = f"request {number}"
        many.gpu.free(many.generate(pages=1).pages.pop())
    made["cpp_writer_long_batch.pickle"] = CppWriter().dumps(gen.snapshot([many.gpu], gen.V2_10))
    value = gen.snapshot([many.gpu])
    del value["device_traces"][0][:-1001]
    assert len(value["device_traces"][0]) == 1001
    made["batch_of_1001.pickle"] = python_pickle(value)
    return made


def _generations():
    def server():
        return Server(layers=2, clock=Clock(seed=4)).load().generate(pages=2).gpu

    native = (
        "frame #0: c10::cuda::CUDACachingAllocator::malloc(unsigned long) + 0x51\nframe #1: at::native::empty_cuda\n"
    )
    old = Server(layers=2, clock=Clock(seed=4)).load().generate(pages=6)
    for page in old.pages[1:4]:  # neighbours: their histories end up in one inactive block
        old.gpu.free(page)
    old = old.gpu
    for segment in old.segments:  # memory from before stacks were recorded
        for block in segment.blocks[:1]:
            block.history = [(address, size, None) for address, size, _ in block.history]
    made = {
        "gen_1.13_list.pickle": gen.snapshot([old], gen.V1_13),
        "gen_2.0_history.pickle": gen.snapshot([old], gen.V2_0, cpp_frames=native),
        "gen_2.1_no_time.pickle": gen.snapshot([server()], gen.V2_1),
        "gen_2.1_no_address.pickle": gen.snapshot([server()], gen.V2_1, with_addresses=False),
        "gen_2.2_time.pickle": gen.snapshot([server()], gen.V2_2),
        "gen_2.3_settings.pickle": gen.snapshot([server()], gen.V2_3),
    }
    marks = [
        gen.annotation(name, stage, 1_760_000_000_000_000 + at, **more)
        for name, stage, at, more in [
            ("load", "START", 40, {}),
            ("load", "END", 900, {}),
            ("generate", "START", 1_000, {"request": "7", "user": "visitor"}),
            ("generate", "END", 5_000, {}),
        ]
    ]
    made["gen_2.5_annotations.pickle"] = gen.snapshot([server()], annotations=marks)
    compiled = Server(layers=2, clock=Clock(seed=4)).load()
    compiled.gpu.compile_context = "Torch-Compiled Region: 0/0"
    made["gen_2.8_compile_context.pickle"] = gen.snapshot([compiled.generate().gpu], gen.V2_8)
    compiled.gpu.user_metadata = "phase=decode; request=7"
    made["gen_2.10_user_metadata.pickle"] = gen.snapshot([compiled.generate().gpu], gen.V2_10)
    made["gen_2026_fx.pickle"] = _fx_frames()
    made["gen_2.15_annotate.pickle"] = _annotated()
    made["gen_2.15_host.pickle"] = _pinned_host()
    made["overflow_true.pickle"] = _overflow(max_entries=60)
    made["overflow_false.pickle"] = _overflow(max_entries=None)
    made["bare_list_new_blocks.pickle"] = gen.snapshot([server()])["segments"]
    made["profile_form.pickle"] = _profile_form()
    return {name: python_pickle(value, 3 if "1.13" in name else 4) for name, value in made.items()}


def _pinned_host():
    """A loader pins batches of two sizes: one is freed and used again, one given back, and two are kept."""
    server = Server(layers=2).load()
    host, at = PinnedHost(), server.program.at
    load = ("serve.py:71:<module>", "loader.py:22:next_batch")
    freed = server.program.freed_at(*load)
    first = host.alloc(3_000_000, at("empty", *load, "loader.py:35:pin"))
    table = host.alloc(400_000, at("empty", *SERVE, "loader.py:14:__init__"))
    batches = [host.alloc(5_000 + i * 70_000, at("empty", *load, "loader.py:37:pin_labels")) for i in range(4)]
    host.free(first, freed)
    host.free(table, freed)
    host.empty_cache(server.program.freed_at(*SERVE, "serve.py:66:main"))
    for number in range(2):
        last = host.alloc(3_000_000, at("empty", *load, "loader.py:35:pin"))
        if number == 0:
            host.free(last, freed)
    host.free(batches[1], freed)
    server.generate()
    return host.add_to(gen.snapshot([server.gpu], gen.V2026))


def _fx_frames():
    server = Server(layers=2).load()
    server.gpu.compile_context = "Torch-Compiled Region: 1/0"
    fx = {
        "filename": "<eval_with_key>.12",
        "name": "forward",
        "line": 9,
        "fx_node_op": "call_function",
        "fx_node_name": "mm_3",
        "fx_node_target": "aten.mm.default",
        "fx_original_trace": 'File "/srv/parrot/layers.py", line 58, in forward\n    return x @ w\n',
        "fx_node_info": "a key of the documentation only",
    }
    stack = [fx, *server.program.at("matmul", "serve.py:64:main", "engine.py:88:generate")]
    for number in range(3):
        block = server.gpu.alloc(2_500_000 + number, stack, pool=(0, 3) if number else (0, 0))
        server.gpu.events[-1]["forward_frames"] = ["layers.py:58 forward", "engine.py:88 generate"]
    server.gpu.free(block)
    server.gpu.events[-1]["forward_frames"] = ["layers.py:58 forward"]
    return gen.snapshot([server.gpu], gen.V2026)


def _annotated():
    """What torch.cuda.memory._annotate_tensor and _set_memory_metadata leave in a trace, below marks within marks."""
    server = Server(layers=1, clock=Clock(seed=12), python_only=True)
    gpu, at = server.gpu, server.program.at
    site = at("_annotate_tensor", "serve.py:64:main", "engine.py:31:name_weights")
    marks = []

    def mark(name, stage):
        marks.append(gen.annotation(name, stage, gpu.clock.tick()))

    gpu.recording = False
    early = gpu.alloc(3 * MIB, at("empty", "serve.py:64:main", "engine.py:20:__init__"))
    gpu.recording = True
    gpu.annotate(early, "a buffer from before", site)
    weights = gpu.alloc(24 * MIB, at("empty", "serve.py:64:main", "engine.py:22:__init__"))
    gpu.annotate(weights, "the weights", site)
    gpu.annotate(weights, "of layer 0 <&>", site)
    mark("request", "START")
    gpu.user_metadata = json.dumps({"phase": "prefill", "request": {"id": 7, "user": "visitor"}})
    page = gpu.alloc(6 * MIB, at("empty", "serve.py:64:main", "cache.py:41:page"))
    gpu.annotate(page, "a page of the cache", site)
    gpu.free(page)
    mark("attention", "START")
    gpu.compile_context = "Torch-Compiled Region: 0/0"
    gpu.alloc(6 * MIB, at("matmul", "serve.py:64:main", "layers.py:58:forward"))  # where the page was
    gpu.alloc(14 * MIB, at("matmul", "serve.py:64:main", "layers.py:61:forward"))
    gpu.events[-1]["internal_metadata"] = "cudagraph pool"
    mark("attention", "END")
    gpu.compile_context, gpu.user_metadata = "N/A", "phase two"
    gpu.alloc(5 * MIB, at("empty", "serve.py:64:main", "layers.py:70:forward"))
    mark("request", "END")
    gpu.user_metadata = ""
    gpu.alloc(700_000, at("empty", "serve.py:64:main", "metrics.py:12:remember"))
    return gen.snapshot([gpu], gen.V2026, annotations=marks)


def _overflow(max_entries):
    server = Server(layers=2, max_entries=max_entries).load().generate(pages=12)
    for page in server.pages[::2]:
        server.gpu.free(page)
    entries = max_entries or 100_000
    settings = gen.allocator_settings(
        gen.V2026, trace_alloc_overflowed=max_entries is not None, trace_alloc_max_entries=entries
    )
    return gen.snapshot([server.gpu], gen.V2026, settings=settings)


def _profile_form():
    """torch.cuda._memory_viz._profile_to_snapshot: one segment a device from the lowest to the highest address used."""

    def frames(*names):
        return [{"filename": "none", "line": 0, "name": n} for n in names]

    base, sizes = 0x7F5500000000, [4_000_000, 1_000_000, 512, 2_000_000]
    blocks, events, at = [], [], base
    for index, (size, category) in enumerate(zip(sizes, ["parameter", "activation", "unknown", "temporary"])):
        made = frames(f"aten::op_{index}", "loop.py(12): step")
        events.append({"action": "alloc", "addr": at, "size": size, "stream": 0, "frames": made, "category": category})
        if category == "temporary":
            events += [
                {"action": a, "addr": at, "size": size, "stream": 0, "frames": made, "category": category}
                for a in ("free_requested", "free_completed")
            ]
            blocks.append({"size": size, "state": "inactive"})
        else:
            blocks.append({"size": size, "requested_size": size, "state": "active_allocated", "frames": made})
            blocks.append({"size": 1_024, "state": "inactive"})
        at += size + (1_024 if category != "temporary" else 0)
    segment = {"device": 0, "address": base, "total_size": at - base, "stream": 0, "blocks": blocks}
    return {"device_traces": [events, []], "segments": [segment]}


def _allocator_features():
    made = {"oom.pickle": gen.snapshot([_out_of_memory(expandable=False)], gen.V2_10)}
    conf = {"conf": "expandable_segments:True", "expandable_segments": True}
    made["oom_expandable.pickle"] = gen.snapshot(
        [_out_of_memory(expandable=True)], gen.V2_10, settings=gen.allocator_settings(gen.V2_10, **conf)
    )
    server = Server(expandable=True).load().generate(pages=12)
    for page in server.pages[2:12]:
        server.gpu.free(page)
    server.gpu.empty_cache(server.program.at("empty_cache", "serve.py:66:main"))
    made["expandable.pickle"] = gen.snapshot([server.gpu], settings=gen.allocator_settings(**conf))
    made["pools_tuple.pickle"] = pools = _pools()
    made["pools_list.pickle"] = as_lists = copy.deepcopy(pools)
    for item in as_lists["segments"]:
        item["segment_pool_id"] = list(item["segment_pool_id"])
    for item in as_lists["device_traces"][0]:
        item["pool_id"] = list(item["pool_id"])
    made["pending_free.pickle"] = pending = _pending()
    made["awaiting_free.pickle"] = awaiting = copy.deepcopy(pending)
    for segment in awaiting["segments"]:
        for block in segment["blocks"]:
            if block["state"] == "active_pending_free":
                block["state"] = "active_awaiting_free"
    made["devices_streams.pickle"] = _devices_and_streams()
    return {name: python_pickle(value) for name, value in made.items()}


def _out_of_memory(expandable):
    server = run_out_of_memory(
        Server(layers=2, expandable=expandable, capacity=GIB // 4, base=0x302000000).load().generate()
    )
    for page in server.pages if expandable else []:  # the exception leaves the request, which frees what it held
        server.gpu.free(page, server.program.freed_at("serve.py:71:<module>", "serve.py:68:main"))
    return server.gpu


def _pools():
    server = Server(layers=2).load()
    at = server.program.at
    for pool, line in [((0, 0), 12), ((1, 0), 20), ((0, 2), 31), ((3, 0), 20)]:
        for size in (1_500_000, 6 * MIB, 90 * KIB):
            block = server.gpu.alloc(size, at("empty", "serve.py:64:main", f"graphs.py:{line}:capture"), pool=pool)
        server.gpu.free(block)
    return gen.snapshot([server.gpu], gen.V2026)


def _pending():
    server = Server(layers=2).load().generate(pages=4)
    for page in server.pages[:2]:
        server.gpu.free(page, server.program.freed_at("serve.py:64:main", "cache.py:60:evict"), in_use_elsewhere=True)
    server.gpu.free(server.pages[3], in_use_elsewhere=True)
    server.gpu.complete(server.pages[3])
    return gen.snapshot([server.gpu])


def _devices_and_streams():
    """Devices 0, 2 and 3 of four; the legacy default stream is 0, the others are pointers or CUDA's own 1 and 2."""
    made, clock = [], Clock(seed=8)
    for device, streams in [(0, [0, 0x55D0C8A1E3F0]), (2, [0, 1, 2]), (3, [0x7FFE00112230])]:
        gpu = Allocator(device, base=0x7F0000000000 + (device << 36), clock=clock)
        program = Program("/home/eve/pipeline/")
        for stream in streams:
            for size in (5_000_000, 40_000, 12 * MIB):
                block = gpu.alloc(
                    size, program.at("empty", "stage.py:9:<module>", f"stage.py:{20 + device}:run"), stream=stream
                )
            gpu.free(block)
        made.append(gpu)
    return gen.snapshot(made)


def _incomplete():
    made = {"empty.pickle": gen.snapshot([]) | {"device_traces": [[], []]}, "empty_list.pickle": []}
    silent = Server(layers=2)
    silent.gpu.recording = False
    made["segments_only.pickle"] = gen.snapshot([silent.load().generate().gpu])
    freed = Server(layers=1).load()
    for segment in list(freed.gpu.segments):
        for block in [b for b in segment.blocks if b.state == "active_allocated"]:
            freed.gpu.free(block)
    freed.gpu.empty_cache(of_places([("/srv/parrot/serve.py", 66, "main")]))
    made["events_only.pickle"] = gen.snapshot([freed.gpu])
    late = Server(layers=2)
    late.gpu.recording = False
    late.load().generate(pages=2)
    late.gpu.recording = True
    late.gpu.free(late.calibration[0])
    made["recorded_late.pickle"] = gen.snapshot([late.generate(pages=2).gpu])
    ring = Server(layers=2, max_entries=40).load().generate(pages=10)
    for page in ring.pages[:5]:
        ring.gpu.free(page)
    made["ring_lost_history.pickle"] = gen.snapshot([ring.gpu])
    return {name: python_pickle(value) for name, value in made.items()}

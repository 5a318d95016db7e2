"""Smaller programs: a server that holds a language model, and one fine-tuning run on two branches of its code."""

from .allocator import GIB, KIB, MIB, Allocator, Clock, OutOfMemory
from .stacks import Program, backward

SERVE = ("serve.py:71:<module>", "serve.py:60:main")
REQUEST = ("serve.py:71:<module>", "serve.py:64:main", "engine.py:88:generate")


class Server:
    """Weights, adapters, buffers for calibration, and a key-value cache that grows by pages."""

    def __init__(self, layers=3, **options):
        options.setdefault("capacity", 16 * GIB)
        self.program = Program("/srv/parrot/", python_only=options.pop("python_only", False))
        self.gpu = Allocator(clock=options.pop("clock", None) or Clock(seed=3), **options)
        self.layers, self.pages = layers, []

    def load(self):
        at = self.program.at
        self.weights = [
            self.gpu.alloc(size, at("linear_weight", *SERVE, "engine.py:31:load", line))
            for _ in range(self.layers)
            for size, line in [
                (24_121_344, "layers.py:19:__init__"),
                (8_040_448, "layers.py:20:__init__"),
                (3_000, "layers.py:21:__init__"),
            ]
        ]
        self.adapters = [
            self.gpu.alloc(393_300, at("empty", *SERVE, "engine.py:33:load", "adapters.py:14:attach"))
            for _ in range(self.layers)
        ]
        self.calibration = [
            self.gpu.alloc(30 * MIB + 77, at("zeros", *SERVE, "calibrate.py:25:collect")) for _ in range(2)
        ]
        return self

    def generate(self, pages=2, page_bytes=3 * MIB + 100, scratch=(5 * MIB, 700 * KIB)):
        at = self.program.at
        for _ in range(pages):
            self.pages.append(self.gpu.alloc(page_bytes, at("empty", *REQUEST, "cache.py:47:append_page")))
            used = [self.gpu.alloc(size, at("matmul", *REQUEST, "layers.py:58:forward")) for size in scratch]
            for block in used:
                self.gpu.free(block, self.program.freed_at(*REQUEST, "layers.py:63:forward"))
        return self

    def grow_into_after(self):
        """What happens between before.pickle and after.pickle."""
        at, gpu = self.program.at, self.gpu
        for block in self.calibration:  # removed
            gpu.free(block, self.program.freed_at(*SERVE, "calibrate.py:40:finish"))
        gpu.free(self.adapters.pop())  # shrunk
        gpu.empty_cache(at("empty_cache", *SERVE, "serve.py:66:main"))
        self.generate(pages=9)  # grown
        for _ in range(4):  # added
            gpu.alloc(
                12 * 127 * 1021 * 4, at("softmax", *REQUEST, "layers.py:58:forward", "probe.py:33:keep_attention")
            )
        gpu.alloc(300, at("tensor", *REQUEST, "probe.py:36:keep_attention"))
        return self


def run_out_of_memory(server):
    """Fills the device with pages until a request fails."""
    try:
        while True:
            server.generate(pages=1, page_bytes=12 * MIB + 4_321)
    except OutOfMemory:
        return server


def fine_tune(*, base, seed, is_branch):
    """One run of a fine-tuning script. The branch inserts four lines at the top of encoder.py, keeps attention maps
    for a plot, casts the logits to fp32 a second time and no longer keeps the embeddings' outputs."""
    gpu = Allocator(base=base, capacity=16 * GIB, clock=Clock(seed=seed))
    program = Program("/home/ben/finetune/", shift={"encoder.py": 4} if is_branch else None)
    run = ("main.py:52:<module>", "main.py:44:run")
    for _ in range(4):
        for size, line in [
            (16_515_072, "encoder.py:15:__init__"),
            (5_505_024, "encoder.py:16:__init__"),
            (5_376, "encoder.py:17:__init__"),
        ]:
            gpu.alloc(size, program.at("linear_weight", *run, "main.py:21:build", line))
    batch = gpu.alloc(32 * 211 * 8, program.at("_to_copy", *run, "loader.py:30:batches"))
    outputs = []
    for layer in range(4):
        for size, operator, line in [
            (36_298_752, "linear", "encoder.py:40:forward"),
            (45_591_168, "softmax", "encoder.py:43:forward"),
            (12_099_584, "layer_norm", "encoder.py:48:forward"),
        ]:
            outputs.append(gpu.alloc(size, program.at(operator, *run, "main.py:33:step", line)))
        if is_branch:
            gpu.alloc(
                45_591_168 // 2,
                program.at("clone", *run, "main.py:33:step", "encoder.py:43:forward", "plots.py:12:remember"),
            )
        elif layer < 2:
            gpu.alloc(12_099_584, program.at("embedding", *run, "main.py:33:step", "encoder.py:36:forward"))
    for _ in range(2 if is_branch else 1):
        gpu.alloc(32 * 211 * 9_001 * 4, program.at("_to_copy", *run, "main.py:34:step"))
    for block in outputs[6:]:
        gpu.free(block)
    gpu.alloc(16_515_072, backward("mm", "AddmmBackward0"))
    gpu.free(batch)
    return gpu

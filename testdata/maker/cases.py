"""Why memory ran out, or why it is kept: one invented program for each known cause, with nothing else wrong in it.

The stories are those that users tell (see ../README.md); sizes are scaled so that a case has a few hundred events.
"""

from . import generations as gen
from .allocator import GIB, KIB, MIB, Allocator, Clock, OutOfMemory
from .encode import python_pickle
from .stacks import Program

MAIN = ("train.py:90:<module>", "train.py:71:main")
SIDE = 0x55D0_0000_7000  # a cudaStream_t


class Case:
    """A program on one device; what it does is logged as PyTorch logs it."""

    def __init__(self, capacity, *, seed=21, version=gen.V2026):
        self.gpu = Allocator(base=0x7E2000000000, capacity=capacity, clock=Clock(seed=seed))
        self.program, self.version = Program("/home/ada/run/", python_only=True), version
        self.annotations = []

    def hold(self, size, *lines, what="empty", **options):
        return self.gpu.alloc(size, self.program.at(what, *MAIN, *lines), **options)

    def drop(self, blocks, **options):
        for block in blocks:
            self.gpu.free(block, **options)

    def fail(self, size, *lines, **options):
        try:
            self.hold(size, *lines, **options)
        except OutOfMemory:
            return self
        raise AssertionError("the request was meant to fail")

    def mark(self, name, stage):
        self.annotations.append(gen.annotation(name, stage, self.gpu.clock.tick()))

    def pickle(self):
        return python_pickle(gen.snapshot([self.gpu], self.version, annotations=self.annotations))


def files():
    stories = [
        split_large_segment,
        split_free_blocks,
        side_stream,
        side_stream_full,
        record_stream,
        reserved_jump,
        huge_request,
        retained_activations,
        outside_memory,
        memory_fraction,
        private_pool,
        first_step,
        clean,
    ]
    return {f"cases/{story.__name__}.pickle": story().pickle() for story in stories}


def split_large_segment():
    """A tensor of 10.8 GiB is freed; small ones that stay move into its segment, and it cannot be built again."""
    case = Case(12 * GIB)
    case.drop([case.hold(11_643_387_904, "data.py:40:collate")])
    passing, staying = [], []
    for number in range(28):
        passing.append(case.hold(396 * MIB, "model.py:118:forward", what="linear"))
        staying.append(case.hold((11 + number % 8) * MIB + 4096, "metrics.py:22:remember"))
    case.drop(passing)
    return case.fail(11_643_387_904, "data.py:40:collate")


def split_free_blocks():
    """Free memory in pieces of 18 MiB, one for each segment of 20 MiB, and a request of 50 MiB."""
    case = Case(2 * GIB)
    case.hold(1200 * MIB, "model.py:30:__init__", what="linear_weight")
    passing = []
    while case.gpu.reserved + 20 * MIB <= case.gpu.capacity - 30 * MIB:
        case.hold(1200 * KIB, "cache.py:55:store")
        passing += [case.hold(9 * MIB, "model.py:118:forward", what="linear") for _ in range(2)]
    case.drop(passing)
    return case.fail(50 * MIB, "model.py:140:forward", what="linear")


def side_stream():
    """Buffers for one all-gather on a stream of its own; 20 GiB stay with that stream for good."""
    case = Case(80 * GIB)
    weights = [case.hold(640 * MIB, "model.py:30:__init__", what="linear_weight") for _ in range(24)]
    gathered = [case.hold(1 * GIB, "fsdp.py:212:gather_once", stream=SIDE) for _ in range(20)]
    case.drop(gathered)
    for _ in range(3):
        case.drop([case.hold(1 * GIB, "model.py:118:forward", what="linear") for _ in range(24)])
    assert weights
    return case


def side_stream_full():
    """The same on a device that is too small for it: small blocks keep the stream's segments from going back."""
    case = Case(24 * GIB)
    case.hold(9 * GIB, "model.py:30:__init__", what="linear_weight")
    big = []
    for _ in range(12):
        block = case.hold(1 * GIB, "fsdp.py:212:gather_once", stream=SIDE)
        case.gpu.free(block)
        case.hold(3 * MIB, "fsdp.py:215:remember", stream=SIDE)
        big.append(case.hold(1020 * MIB, "fsdp.py:212:gather_once", stream=SIDE))
    case.drop(big)
    return case.fail(5 * GIB, "model.py:118:forward", what="linear")


def record_stream():
    """Tensors handed to another stream: freed by the program, not yet by the allocator."""
    case = Case(80 * GIB)
    case.hold(6 * GIB, "model.py:30:__init__", what="linear_weight")
    sent = [case.hold(768 * MIB, "fsdp.py:88:all_gather") for _ in range(10)]
    case.drop(sent, in_use_elsewhere=True)
    case.hold(1 * GIB, "model.py:118:forward", what="linear")
    return case


def reserved_jump():
    """A checkpoint gathers all shards once; what was reserved for that is never needed again."""
    case = Case(40 * GIB)
    case.hold(1750 * MIB, "model.py:30:__init__", what="linear_weight")
    for _ in range(3):
        case.drop([case.hold(300 * MIB, "model.py:118:forward", what="linear") for _ in range(3)])
    case.mark("save_checkpoint", "START")
    case.drop([case.hold(1400 * MIB, "checkpoint.py:61:gather") for _ in range(2)])
    case.mark("save_checkpoint", "END")
    for _ in range(3):
        case.drop([case.hold(300 * MIB, "model.py:118:forward", what="linear") for _ in range(3)])
    return case


def huge_request():
    """Logits of [205280, 76032] in fp32, twenty times the usual length, at once."""
    case = Case(80 * GIB)
    case.hold(24 * GIB, "model.py:30:__init__", what="linear_weight")
    case.hold(4 * GIB, "model.py:118:forward", what="linear")
    return case.fail(205_280 * 76_032 * 4, "loss.py:31:logits", what="linear")


def retained_activations():
    """A list keeps what each step computed; the traceback names only the last, innocent request."""
    case = Case(40 * GIB)
    case.hold(9 * GIB, "model.py:30:__init__", what="linear_weight")
    for _ in range(23):
        step = [case.hold(500 * MIB, "model.py:118:forward", what="linear") for _ in range(4)]
        case.hold(1250 * MIB, "log_probs.py:47:collect", what="log_softmax")
        case.drop(step)
    case.hold(1800 * MIB, "model.py:118:forward", what="linear")
    return case.fail(1300 * MIB, "loss.py:31:logits", what="linear")


def outside_memory():
    """A card of 10.91 GiB of which something else holds 5.06 GiB."""
    case = Case(int(10.91 * GIB) - int(5.06 * GIB))
    case.hold(5500 * MIB, "model.py:30:__init__", what="linear_weight")
    case.hold(200 * MIB, "model.py:118:forward", what="linear")
    return case.fail(600 * MIB, "model.py:118:forward", what="linear")


def memory_fraction():
    """set_per_process_memory_fraction: the request fails although the device has 15.5 GiB free. No file says so."""
    case = Case(8 * GIB)
    case.hold(7900 * MIB, "model.py:30:__init__", what="linear_weight")
    case.fail(960 * MIB, "model.py:118:forward", what="linear")
    case.gpu.events[-1]["device_free"] = int(15.52 * GIB)
    return case


def private_pool():
    """A captured graph keeps 9 GiB of intermediates in its pool; nothing else may use them."""
    case = Case(16 * GIB)
    case.hold(4 * GIB, "model.py:30:__init__", what="linear_weight")
    inside = {"pool": (1, 0)}
    case.hold(24 * MIB, "graph.py:21:static_input", **inside)
    case.drop([case.hold(3 * GIB, "graph.py:25:capture", **inside) for _ in range(3)])
    return case.fail(4 * GIB, "model.py:118:forward", what="linear")


def first_step():
    """A model whose first forward pass does not fit: its gradients and the optimizer's state are still to come."""
    case = Case(12 * GIB)
    for _ in range(24):
        case.hold(128 * MIB, "model.py:30:__init__", what="linear_weight")
    case.mark("Optimizer.zero_grad#AdamW.zero_grad", "START")
    case.mark("Optimizer.zero_grad#AdamW.zero_grad", "END")
    for _ in range(21):
        case.hold(384 * MIB, "model.py:118:forward", what="linear")
        case.drop([case.hold(48 * MIB, "model.py:119:forward", what="softmax")])
    return case.fail(2 * GIB, "loss.py:31:logits", what="linear")


def clean():
    """Weights and steps that fit: nothing to blame."""
    case = Case(40 * GIB)
    for _ in range(24):
        case.hold(400 * MIB, "model.py:30:__init__", what="linear_weight")
    for _ in range(3):
        case.drop([case.hold(100 * MIB, "model.py:118:forward", what="linear") for _ in range(8)])
    return case

"""Training loops whose memory is known step by step: leaks, what looks like one, and clean ones.

A step allocates activations layer by layer, turns them into gradients and temporaries, and ends where it began; a
`Habit` is what a program does besides that, at the end of each step.
"""

import json

from . import generations as gen
from .allocator import GIB, MIB, Allocator, Clock, OutOfMemory
from .encode import python_pickle
from .generations import annotation
from .stacks import Program, backward, of_places

MAIN = "train.py:88:<module>"
STEP = (MAIN, "train.py:40:train")
GC = of_places([("<string>", 1, "collect"), ("/home/ada/loop/data.py", 52, "load"), ("/home/ada/loop/train.py", 38, "train")])


class Device(Allocator):
    """Forgets `history`, which only PyTorch before 2.1 writes: it doubles with every merge."""

    def alloc(self, size, stack=None, **where):
        block = super().alloc(size, stack, **where)
        block.history = []
        return block

    def _merge(self, block):
        super()._merge(block)
        block.history = []


class Loop:
    """One device that trains. `mark` is the name of the annotations, with {} for the number of the step."""

    def __init__(self, device=0, *, capacity=80 * GIB, mark="ProfilerStep#{}", layers=4, clock=None, keep_graph=False):
        base = 0x7E1200000000 + (device << 40)
        self.gpu = Device(device, base, capacity, clock=clock or Clock(seed=5))
        self.program = Program("/home/ada/loop/", python_only=True)
        self.layers, self.mark, self.keep_graph = layers, mark, keep_graph
        self.annotations, self.kept, self.state = [], [], None
        self.weights = [
            self.gpu.alloc(3 * MIB + 512 * i, self.program.at("linear_weight", MAIN, "train.py:20:train"))
            for i in range(layers)
        ]

    def at(self, *calls, what=""):
        return self.program.at(what, *STEP, *calls)

    def annotate(self, stage, number):
        if self.mark:
            name = self.mark.format(number)
            self.annotations.append(annotation(name, stage, self.gpu.clock.tick(), self.gpu.device))

    def run(self, steps, habit=None):
        for number in range(steps):
            self.annotate("START", number)
            self.step(number)
            if habit:
                habit(self, number)
            self.annotate("END", number)
        return self

    def step(self, number):
        """The batch is longer in some steps than in others."""
        size = (5 + number * 7 % 4) * MIB
        batch = self.gpu.alloc(size // 8, self.at("data.py:30:load"))
        activations = self.forward(size)
        loss = self.gpu.alloc(4, self.at("train.py:52:step", what="log_softmax"))
        if not self.keep_graph:
            self.backward(activations, size)
            self.gpu.free(loss)
        else:
            self.backward([], size)
        self.gpu.free(batch, self.program.freed_at(*STEP))

    def forward(self, size):
        made = []
        for _ in range(self.layers):
            made.append(self.gpu.alloc(size, self.at("train.py:50:step", "model.py:70:forward", what="linear")))
            made.append(self.gpu.alloc(2 * size, self.at("train.py:50:step", "model.py:71:forward", what="gelu")))
            scratch = self.gpu.alloc(size // 2, self.at("train.py:50:step", "model.py:72:forward"))
            self.gpu.free(scratch)
        return made

    def backward(self, activations, size):
        gradients = []
        for weight in reversed(self.weights):
            flowing = self.gpu.alloc(size, backward("mm", "MmBackward0"))
            gradients.append(self.gpu.alloc(weight.requested, backward("mm", "AddmmBackward0")))
            self.gpu.free(flowing)
            for activation in activations[-2:]:
                self.gpu.free(activation)
            activations = activations[:-2]
        if self.state is None:
            made = self.at("train.py:55:step", what="zeros_like")
            self.state = [self.gpu.alloc(w.requested, made) for w in self.weights for _ in range(2)]
        for gradient in gradients:
            self.gpu.free(gradient, self.program.freed_at(*STEP, "train.py:56:step"))


# Habits

CACHE, CYCLE, LOSSES = "put encoder_cache.py:33", "make graph_nodes.py:19", "log metrics.py:12"
GRAPH = {"forward model.py:70": None, "forward model.py:71": None, "step train.py:52": 4}  # bytes a step, where even
LOOKUP, SCORES, SAMPLES = "lookup buckets.py:27", "evaluate evaluate.py:44", "sample evaluate.py:61"


def stack_of(loop, line):
    function, place = line.split(" ")
    return loop.at("train.py:60:step", f"{place}:{function}")


def keeps(line, size, every=1):
    def habit(loop, number):
        if number % every == every - 1:
            loop.kept.append(loop.gpu.alloc(size, stack_of(loop, line)))

    return habit


def leaves_cycles(loop, number):
    """What a step leaves behind is found when the garbage collector runs, in the loader as it happens."""
    loop.kept.append(loop.gpu.alloc(24 * MIB, stack_of(loop, CYCLE)))
    if number % 5 == 4:
        while loop.kept:
            loop.gpu.free(loop.kept.pop(0), GC)


def fills_buckets(loop, number):
    """A buffer for each length of text there is; there are six."""
    if number < 6:
        loop.kept.append(loop.gpu.alloc((9 + number) * MIB, stack_of(loop, LOOKUP)))


def replaces_oldest(loop, number):
    """Keeps the last four."""
    loop.kept.append(loop.gpu.alloc(6 * MIB, stack_of(loop, LOOKUP)))
    if len(loop.kept) > 4:
        loop.gpu.free(loop.kept.pop(0), loop.program.freed_at(*STEP, "train.py:60:step", "buckets.py:29:lookup"))


def _snapshot(*loops, version=gen.V2_5):
    marks = [mark for loop in loops for mark in loop.annotations]
    return gen.snapshot([loop.gpu for loop in loops], version, annotations=marks)


def _together(first, second, steps, habit):
    """Two devices that take turns, so that their times interleave."""
    for number in range(steps):
        for loop in (first, second):
            loop.annotate("START", number)
            loop.step(number)
            if loop is second:
                habit(loop, number)
            loop.annotate("END", number)
    return first, second


def _until_full(loop):
    try:
        loop.run(1000)
    except OutOfMemory:
        return loop
    raise AssertionError("never full")


def _one_pass():
    """The forward pass of one step of a model of 12 layers: they repeat, too, and what they keep is no leak."""
    loop = Loop(layers=12, mark=None)
    for _ in range(12):
        for line, size in (66, 6), (67, 6), (68, 18), (69, 9), (70, 6), (71, 24):
            loop.gpu.alloc(size * MIB, loop.at("train.py:50:step", f"model.py:{line}:forward"))
        loop.gpu.free(loop.gpu.alloc(9 * MIB, loop.at("train.py:50:step", "model.py:72:forward")))
    return loop


def files():
    """Name -> bytes, and name -> what memviz has to say about it."""
    clock = Clock(seed=9)
    pair = _together(Loop(0, clock=clock), Loop(1, clock=clock, mark=None), 10, keeps(CACHE, 40 * MIB))
    graph = _until_full(Loop(capacity=2 * GIB, mark=None, keep_graph=True))
    made = {
        "cache": _snapshot(Loop().run(12, keeps(CACHE, 256 * MIB))),
        "cycles": _snapshot(Loop(mark="Optimizer.step#AdamW.step").run(18, leaves_cycles)),
        "buckets": _snapshot(Loop().run(20, fills_buckets)),
        "last_four": _snapshot(Loop(mark=None).run(16, replaces_oldest)),
        "clean_marked": _snapshot(Loop(mark="train_step").run(10)),
        "clean": _snapshot(Loop(mark=None).run(14), version=gen.V2_1),
        "hidden": _snapshot(Loop(mark=None).run(24, keeps(LOSSES, 4))),
        "every_fourth": _snapshot(Loop().run(32, keeps(SCORES, 5 * MIB + 100, every=4))),
        "two_devices": _snapshot(*pair),
        "graph": _snapshot(graph),
        "graph_marked": _snapshot(_until_full(Loop(capacity=2 * GIB, keep_graph=True))),
        "one_pass": _snapshot(_one_pass()),
        "two_steps": _snapshot(Loop().run(2, keeps(CACHE, MIB))),
        "saw_and_leak": _snapshot(Loop().run(20, _both)),
    }
    answers = {
        "cache": _device("annotation", 12, grows={CACHE: 256 * MIB}),
        "cycles": _device("annotation", 18, late_frees=[CYCLE]),
        "buckets": _device("annotation", 20, stopped=[LOOKUP]),
        "last_four": _device("repetition", 16, stopped=[LOOKUP]),
        "clean_marked": _device("annotation", 10),
        "clean": _device("repetition", 14),
        "hidden": _device("repetition", 24, grows={LOSSES: 4}),
        "every_fourth": _device("annotation", 32, grows={SCORES: (5 * MIB + 100) / 4}),
        "graph": _device("repetition", None, grows=GRAPH, capacity=2 * GIB),
        "graph_marked": _device("annotation", None, grows=GRAPH, capacity=2 * GIB),
        "one_pass": _device("repetition", 12, doubt="one pass"),
        "two_steps": _device("none", 0, note="no annotation occurs three times"),
        "saw_and_leak": _device("annotation", 20, grows={SAMPLES: 3 * MIB}, late_frees=[CYCLE]),
    }
    answers = {name: [answer] for name, answer in answers.items()}
    answers["two_devices"] = [_device("annotation", 10), _device("annotation", 10, grows={CACHE: 40 * MIB})]
    files = {f"leaks/{name}.pickle": python_pickle(value) for name, value in made.items()}
    return files, json.dumps(answers, indent=1).encode() + b"\n"


def _both(loop, number):
    loop.forever = getattr(loop, "forever", [])
    loop.forever.append(loop.gpu.alloc(3 * MIB, stack_of(loop, SAMPLES)))
    leaves_cycles(loop, number)


def _device(source, steps, grows=None, **more):
    return {"source": source, "steps": steps, "grows": grows or {}, "late_frees": [], "stopped": []} | more

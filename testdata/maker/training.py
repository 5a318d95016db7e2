"""The demo: two steps of training a small transformer, recorded up to the middle of the second backward pass.

What there is to find: weights, optimizer state, the gradients of the later blocks, the activations that the earlier
blocks still need, a teacher loaded before recording began (no stacks), its targets for the next batches prefetched on a
side stream, and a mistake: metrics.py keeps the logits of every step.
"""

from dataclasses import dataclass, field

from .allocator import GIB, Allocator, Clock
from .generations import annotation
from .stacks import Program, backward

COPY_STREAM = 0x55D0C8A1E3F0
LAYERS, WIDTH, HEADS, VOCABULARY, BATCH, LENGTH = 8, 1024, 12, 32011, 6, 509
TOKENS = BATCH * LENGTH
MAIN = ("train.py:94:<module>", "train.py:31:main")
LOOP = ("train.py:94:<module>", "train.py:38:main")
FORWARD = (*LOOP, "train.py:57:train_step", "model.py:121:forward")

# Weights of a block: the line of model.py that makes them, what torch calls, number of elements.
BLOCK_WEIGHTS = [
    ("model.py:22:__init__", "linear_weight", 3 * WIDTH * WIDTH),
    ("model.py:22:__init__", "linear_weight", 3 * WIDTH),
    ("model.py:23:__init__", "linear_weight", WIDTH * WIDTH),
    ("model.py:23:__init__", "linear_weight", WIDTH),
    ("model.py:54:__init__", "linear_weight", 4 * WIDTH * WIDTH),
    ("model.py:54:__init__", "linear_weight", 4 * WIDTH),
    ("model.py:56:__init__", "linear_weight", 4 * WIDTH * WIDTH),
    ("model.py:56:__init__", "linear_weight", WIDTH),
    ("model.py:72:__init__", "norm_weight", WIDTH),
    ("model.py:74:__init__", "norm_weight", WIDTH),
]
PARENT = {
    "22": "model.py:73:__init__",
    "23": "model.py:73:__init__",
    "54": "model.py:75:__init__",
    "56": "model.py:75:__init__",
}

SCORES = BATCH * HEADS * LENGTH * LENGTH
# Activations of a block: the calls inside Block.forward, the operator, the number of elements, bytes of each.
ACTIVATIONS = [
    (("model.py:79:forward",), "layer_norm", TOKENS * WIDTH, 4),
    (("model.py:79:forward", "model.py:31:forward"), "linear", TOKENS * WIDTH * 3, 4),
    (("model.py:79:forward", "model.py:37:forward"), "matmul", SCORES, 4),
    (("model.py:79:forward", "model.py:39:forward"), "softmax", SCORES, 4),
    (("model.py:79:forward", "model.py:40:forward"), "native_dropout", SCORES, 4),
    (("model.py:79:forward", "model.py:40:forward"), "native_dropout", SCORES, 1),
    (("model.py:79:forward", "model.py:41:forward"), "matmul", TOKENS * WIDTH, 4),
    (("model.py:79:forward", "model.py:43:forward"), "linear", TOKENS * WIDTH, 4),
    (("model.py:79:forward",), "add", TOKENS * WIDTH, 4),
    (("model.py:80:forward",), "layer_norm", TOKENS * WIDTH, 4),
    (("model.py:80:forward", "model.py:60:forward"), "linear", TOKENS * WIDTH * 4, 4),
    (("model.py:80:forward", "model.py:60:forward"), "gelu", TOKENS * WIDTH * 4, 4),
    (("model.py:80:forward", "model.py:61:forward"), "linear", TOKENS * WIDTH, 4),
]
NOT_SAVED = {2}  # the scores before the softmax are freed as soon as it is done


@dataclass
class Step:
    """What is alive while a step runs: activations by block, gradients by block."""

    activations: list = field(default_factory=list)
    gradients: list = field(default_factory=list)


class Training:
    def __init__(self):
        self.gpu = Allocator(base=0x7F3A40000000, capacity=24 * GIB, clock=Clock(seed=7))
        self.program = Program("/home/ada/tinyformer/")
        self.annotations, self.kept = [], []

    def run(self):
        """The allocator as it is in the middle of the second step's backward pass."""
        self.gpu.recording = False
        self.load_teacher()
        self.gpu.recording = True
        weights = self.build_model()
        state = None
        batch = self.prefetch()
        for number in range(2):
            following = self.prefetch()
            self.mark(f"ProfilerStep#{number}", "START")
            step, logits, loss = self.forward(batch)
            self.kept.append(self.log_predictions(logits))
            if number == 1:
                self.backward(step, weights, logits, loss, down_to=5)
                return self.gpu
            self.backward(step, weights, logits, loss, down_to=0)
            state = state or self.optimizer_state(weights)
            self.optimizer_step(weights)
            for gradient in step.gradients:
                self.gpu.free(gradient, self.program.freed_at(*LOOP, "train.py:63:train_step"))
            for tensor in batch:
                self.gpu.free(tensor, self.program.freed_at(*LOOP))
            self.mark(f"ProfilerStep#{number}", "END")
            batch = following
        return self.gpu

    def mark(self, name, stage):
        self.annotations.append(annotation(name, stage, self.gpu.clock.tick()))

    def load_teacher(self):
        for size in [VOCABULARY * 640 * 4] + [640 * 640 * 4, 640 * 2560 * 4, 640 * 2560 * 4, 640 * 4] * 8:
            self.gpu.alloc(size)

    def build_model(self):
        embed = [
            ("model.py:98:__init__", "embedding_weight", VOCABULARY * WIDTH),
            ("model.py:99:__init__", "embedding_weight", 512 * WIDTH),
        ]
        blocks = [[self.weight(line, what, count) for line, what, count in embed]]
        for _ in range(LAYERS):
            made = []
            for line, what, count in BLOCK_WEIGHTS:
                parent = PARENT.get(line.split(":")[1])
                made.append(self.weight(line, what, count, "model.py:100:__init__", *([parent] if parent else [])))
            blocks.append(made)
        return blocks

    def weight(self, line, what, count, *parents):
        return self.gpu.alloc(count * 4, self.program.at(what, *MAIN, *parents, line))

    def prefetch(self):
        stack = self.program.at("_to_copy", *LOOP, "data.py:41:__next__", "data.py:27:prefetch")
        return [self.gpu.alloc(size, stack, stream=COPY_STREAM) for size in (TOKENS * 8, TOKENS * 2048 * 6)]

    def forward(self, batch):
        gpu, at = self.gpu, self.program.at
        step = Step()
        first = [
            gpu.alloc(TOKENS * WIDTH * 4, at("embedding", *FORWARD[:-1], "model.py:113:forward")),
            gpu.alloc(TOKENS * WIDTH * 4, at("embedding", *FORWARD[:-1], "model.py:114:forward")),
            gpu.alloc(LENGTH * LENGTH, at("tril", *FORWARD[:-1], "model.py:116:forward")),
        ]
        step.activations.append(first)
        for _ in range(LAYERS):
            step.activations.append(self.forward_block())
        normed = gpu.alloc(TOKENS * WIDTH * 4, at("layer_norm", *FORWARD[:-1], "model.py:122:forward"))
        step.activations.append([normed])
        logits = gpu.alloc(TOKENS * VOCABULARY * 4, at("linear", *FORWARD[:-1], "model.py:123:forward"))
        loss = [
            gpu.alloc(TOKENS * VOCABULARY * 4, at("log_softmax", *LOOP, "train.py:58:train_step")),
            gpu.alloc(4, at("nll_loss_nd", *LOOP, "train.py:58:train_step")),
        ]
        return step, logits, loss

    def forward_block(self):
        made = []
        for index, (calls, operator, count, width) in enumerate(ACTIVATIONS):
            made.append(self.gpu.alloc(count * width, self.program.at(operator, *FORWARD, *calls)))
            if index - 1 in NOT_SAVED:
                self.gpu.free(made[index - 1])
        return [a for i, a in enumerate(made) if i not in NOT_SAVED]

    def log_predictions(self, logits):
        return self.gpu.alloc(
            logits.requested, self.program.at("clone", *LOOP, "train.py:59:train_step", "metrics.py:22:log_predictions")
        )

    def backward(self, step, weights, logits, loss, down_to):
        gpu = self.gpu
        flowing = gpu.alloc(logits.requested, backward("_log_softmax_backward_data", "LogSoftmaxBackward0"))
        gpu.free(loss[0])
        gpu.free(logits)
        step.gradients.append(gpu.alloc(VOCABULARY * WIDTH * 4, backward("mm", "MmBackward0")))
        for index in range(LAYERS, down_to - 1, -1):
            for activation in reversed(step.activations[index]):
                gpu.free(activation)
            for weight in reversed(weights[index]):
                operator, node = (
                    ("mm", "AddmmBackward0") if weight.requested > WIDTH * 16 else ("sum", "NativeLayerNormBackward0")
                )
                if index or weight is not weights[0][0]:  # the embedding is tied to the head: its gradient exists
                    step.gradients.append(gpu.alloc(weight.requested, backward(operator, node)))
            following = gpu.alloc(
                TOKENS * WIDTH * 4, backward("native_layer_norm_backward", "NativeLayerNormBackward0")
            )
            gpu.free(flowing)
            flowing = following
        if down_to == 0:
            gpu.free(flowing)
            gpu.free(step.activations[-1][0])
            gpu.free(loss[1])

    def optimizer_state(self, weights):
        stack = self.program.at("zeros_like", *LOOP, "train.py:61:train_step")
        return [self.gpu.alloc(w.requested, stack) for block in weights for w in block for _ in range(2)]

    def optimizer_step(self, weights):
        stack = self.program.at("_foreach_sqrt", *LOOP, "train.py:61:train_step")
        temporary = [self.gpu.alloc(w.requested, stack) for block in weights for w in block]
        for tensor in temporary:
            self.gpu.free(tensor)

"""Jobs of several ranks whose batches have lengths drawn at random, so that ranks reach their peaks in different phases.

A job is training with gradient accumulation: weights, activations freed by a backward pass, gradients, optimizer state
made in the first step. Some jobs are planted with one rank that holds more; `Plant` says which and how.
"""

import dataclasses
import pathlib
import random

from maker.allocator import MIB, Allocator, Clock
from maker.encode import python_pickle
from maker.generations import snapshot
from maker.stacks import Program, backward

MAIN = ("train.py:230:<module>", "train.py:200:main")
STEP = (*MAIN, "train.py:58:train_step")
PLANTS = ("keeps", "keeps at once", "grows", "keeps on one rank's forward line", "long")


@dataclasses.dataclass
class Plant:
    """`line` is the text that the answer must contain."""

    rank: int
    how: str
    line: str


@dataclasses.dataclass
class Job:
    seed: int
    ranks: int
    steps: int
    microbatches: int
    layers: int
    jitter: float
    plant: Plant | None


def job(seed, is_planted):
    """The job of this seed: sizes, lengths and the plant are drawn from it."""
    dice = random.Random(f"{seed} {is_planted}")
    ranks = dice.choice((3, 4, 4, 6, 8, 8, 12, 16))
    jitter = dice.choice((0.02, 0.05, 0.1, 0.2, 0.3))
    plant = None
    if is_planted:
        how = PLANTS[seed % len(PLANTS)]
        lines = {"long": "activations are ", PLANTS[3]: "model.py:40"}
        plant = Plant(dice.randrange(ranks), how, lines.get(how, "keep_samples job.py:121"))
        if how in lines:  # more of what varies anyhow is found only where it varies less
            jitter = min(jitter, 0.05)
    return Job(seed, ranks, dice.choice((2, 3, 4)), dice.choice((1, 2, 3)), dice.choice((2, 3, 5)), jitter, plant)


class Rank:
    """One rank of a job, and its recording."""

    def __init__(self, of_job, rank):
        self.job, self.rank = of_job, rank
        self.dice = random.Random(f"{of_job.seed} {of_job.plant} {rank}")
        self.gpu = Allocator(clock=Clock(seed=rank + 1))
        self.program = Program("/home/u/project/")
        self.at = self.program.at
        self.kept = []

    def bytes(self):
        self.weights = [
            self.gpu.alloc(size * MIB, self.at("linear_weight", *MAIN, "train.py:20:build_model"))
            for _ in range(self.job.layers)
            for size in (3, 4, 4, 1)
        ]
        for number in range(self.job.steps):
            gradients = []
            for _ in range(self.job.microbatches):
                self.microbatch(number, gradients)
            self.optimizer_step(number, gradients)
        return python_pickle(snapshot([self.gpu]))

    def is_planted(self, *hows):
        return self.job.plant is not None and self.job.plant.rank == self.rank and self.job.plant.how in hows

    def microbatch(self, number, gradients):
        length = self.dice.uniform(1 - self.job.jitter, 1 + self.job.jitter) * (1.33 if self.is_planted("long") else 1)
        batch = self.gpu.alloc(8192, self.at("_to_copy", *MAIN, "train.py:57:train_step"))
        activations = []
        for _ in range(self.job.layers):
            for line, mib in ((40, 4), (55, 8)):
                stack = self.at("linear", *STEP, f"model.py:{line}:forward")
                activations.append(self.gpu.alloc(int(mib * MIB * length), stack))
        loss = self.gpu.alloc(int(2 * MIB * length), self.at("log_softmax", *STEP))
        self.keep(number)
        self.gpu.free(loss)
        for index in range(len(activations) - 1, -1, -1):
            if index % 2:
                self.gradients_of(index // 2, gradients)
            self.gpu.free(activations[index])
        self.gpu.free(batch)

    def gradients_of(self, layer, gradients):
        stack = backward("mm", "AddmmBackward0")
        made = [self.gpu.alloc(w.requested, stack) for w in self.weights[layer * 4 : layer * 4 + 4]]
        if len(gradients) < len(self.weights):
            gradients += made
        else:  # added to those that exist
            for gradient in made:
                self.gpu.free(gradient)

    def keep(self, number):
        stack = self.at("clone", *STEP, "job.py:121:keep_samples")
        if self.is_planted("keeps", "keeps at once") and not self.kept:
            for size in (24,) if self.job.plant.how == "keeps" else (48, 48):
                self.kept.append(self.gpu.alloc(size * MIB, stack))
        if self.is_planted("grows"):
            self.kept.append(self.gpu.alloc(8 * MIB, stack))
        if self.is_planted(PLANTS[3]):
            self.kept.append(self.gpu.alloc(16 * MIB, self.at("linear", *STEP, "model.py:40:forward")))

    def optimizer_step(self, number, gradients):
        if number == 0:
            stack = self.at("zeros_like", *MAIN, "train.py:63:train_step")
            for weight in self.weights:
                for _ in range(2):
                    self.gpu.alloc(weight.requested, stack)
        for gradient in gradients:
            self.gpu.free(gradient)


def write(of_job, folder):
    """Writes the recording of each rank of the job."""
    for rank in range(of_job.ranks):
        (pathlib.Path(folder) / f"mem_rank{rank}.pickle").write_bytes(Rank(of_job, rank).bytes())

"""Training programs at random, each of one seed: they run to their end, or until memory runs out.

A program is a dict of plain values, so that a change is another value: half the batch, no leak, a setting of the allocator.
"""

import random

MIB = 1 << 20
STEPS = 4


def random_program(seed):
    rng = random.Random(seed)
    program = {
        "seed": seed,
        "layers": rng.randint(3, 10),
        "width": rng.choice([256, 384, 512, 768, 1024]),
        "batch": rng.choice([4, 8, 12, 16, 32]),
        "length": rng.choice([128, 256, 512, 1024]),
        "vocabulary": rng.choice([1000, 1000, 8000, 32000]),
        "scores": rng.random() < 0.2,  # attention scores are materialised
        "optimizer": rng.choice(["AdamW", "AdamW", "AdamW", "SGD", "momentum"]),
        "foreach": None,
        "accumulate": rng.choice([1, 1, 1, 2, 4]),
        "checkpoint": rng.random() < 0.2,
        "varied": rng.random() < 0.15,  # lengths differ from step to step
        "validates": rng.random() < 0.25,
        "buckets": rng.random() < 0.3,  # sizes that leave memory in pieces
        "leak": rng.choice([None] * 6 + ["losses", "outputs", "validation"]),
        "pieces": 1,  # of the loss
        "frozen": False,
        "bfloat16": rng.random() < 0.2,
        "settings": "",
        "part": rng.uniform(0.62, 0.99),  # of the peak that the device has
    }
    program["validates"] |= program["leak"] == "validation"
    return program


def model_of(torch, program):
    nn, functional = torch.nn, torch.nn.functional
    width = program["width"]

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def attention(self, x):
            b, t, d = x.shape
            q, k, v = self.qkv(x).view(b, t, 3, 8, d // 8).permute(2, 0, 3, 1, 4)
            if program["scores"]:
                return torch.softmax(q @ k.transpose(-1, -2), -1) @ v
            return functional.scaled_dot_product_attention(q, k, v, is_causal=True)

        def forward(self, x):
            mixed = self.attention(self.norm1(x)).transpose(1, 2).reshape(x.shape)
            x = x + self.out(mixed)
            return x + self.down(functional.gelu(self.up(self.norm2(x))))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(program["vocabulary"], width)
            self.blocks = nn.ModuleList(Block() for _ in range(program["layers"]))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, program["vocabulary"], bias=False)

        def body(self, tokens):
            x = self.words(tokens)
            for block in self.blocks:
                if program["checkpoint"] and torch.is_grad_enabled():
                    x = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
                else:
                    x = block(x)
            return self.norm(x)

        def forward(self, tokens):
            return self.head(self.body(tokens))

    model = Model().cuda()
    if program["bfloat16"]:
        model.bfloat16()
    if program["frozen"]:
        model.words.requires_grad_(False)
        model.blocks[: program["layers"] - 1].requires_grad_(False)
    return model


def optimizer_of(torch, program, model):
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if program["optimizer"] == "AdamW":
        return torch.optim.AdamW(trained, foreach=program["foreach"])
    momentum = 0.9 if program["optimizer"] == "momentum" else 0
    return torch.optim.SGD(trained, lr=0.1, momentum=momentum, foreach=program["foreach"])


class Training:
    def __init__(self, torch, program):
        self.torch, self.program, self.rng = torch, program, random.Random(program["seed"])
        self.kept, self.phase, self.seen = [], "training", set()
        self.model = model_of(torch, program)
        self.optimizer = optimizer_of(torch, program, self.model)

    def tokens(self):
        length = self.program["length"]
        if self.program["varied"]:
            length = self.rng.choice([length // 2, length * 3 // 4, length])
        return self.torch.zeros(self.program["batch"], length, dtype=self.torch.long, device="cuda")

    def loss(self, tokens):
        cross_entropy = self.torch.nn.functional.cross_entropy
        if self.program["pieces"] == 1:
            return cross_entropy(self.model(tokens).float().flatten(0, 1), tokens.flatten())
        checkpoint = self.torch.utils.checkpoint.checkpoint
        part = lambda hidden, wanted: cross_entropy(self.model.head(hidden).float(), wanted, reduction="sum")
        hidden, wanted = self.model.body(tokens).flatten(0, 1), tokens.flatten()
        pieces = zip(hidden.chunk(self.program["pieces"]), wanted.chunk(self.program["pieces"]))
        return sum(checkpoint(part, *piece, use_reentrant=False) for piece in pieces) / wanted.numel()

    def buckets(self, step):
        """Temporaries of many sizes, between which small results stay for a step."""
        torch = self.torch
        self.results = []
        for index in range(24):
            temporary = torch.empty((5 + (index * 7 + step * 3) % 23) * MIB, dtype=torch.uint8, device="cuda")
            self.results.append(torch.empty((1 + index % 3) * MIB + 4096, dtype=torch.uint8, device="cuda"))
            del temporary

    def validate(self):
        torch = self.torch
        keeps = self.program["leak"] == "validation"
        with torch.set_grad_enabled(keeps):
            outputs = [self.model(self.tokens()) for _ in range(3)]
        if not keeps:
            outputs.clear()

    def step(self, number):
        if self.program["buckets"]:
            self.buckets(number)
        for _ in range(self.program["accumulate"]):
            tokens = self.tokens()
            loss = self.loss(tokens)
            if self.program["leak"] == "losses":
                self.kept.append(self.model.words(tokens).float().mean() + loss)
            if self.program["leak"] == "outputs":
                self.kept.append(self.model.body(tokens).detach())
            loss.backward(retain_graph=self.program["leak"] == "losses")
        self.optimizer.step()
        self.optimizer.zero_grad()
        if self.program["validates"] and number % 2 == 1:
            self.phase = "validation"
            self.validate()
            self.seen.add(self.phase)
            self.phase = "training"


def run(torch, program):
    """Returns None; where memory runs out, the error has the phase it was in as `phase`, and those that had ended before as `seen`."""
    training = Training(torch, program)
    try:
        for number in range(STEPS):
            training.step(number)
    except torch.OutOfMemoryError as error:
        error.phase, error.seen = training.phase, sorted(training.seen)
        raise

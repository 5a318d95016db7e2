"""Programs without a backward pass: an evaluation that forgot torch.no_grad(), servers, and what resembles them.

Each writes the moment "forward", the largest of its recording, and if it goes on a snapshot that looks back at it.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F
from truth import Truth, record, use_one_segment

WIDTH, HEADS, LAYERS, WORDS, BATCH, LENGTH = 1024, 8, 8, 400, 4, 384


class Matrix(nn.Module):
    """A layer of the program's own."""

    def __init__(self, inputs, outputs, device=None):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs, device=device))

    def forward(self, x):
        return F.linear(x, self.weight)


class Block(nn.Module):
    """A layer of a transformer, with a cache of keys and values if `slots` is not 0."""

    def __init__(self, slots=0, device=None):
        super().__init__()
        self.norm1, self.norm2 = (nn.LayerNorm(WIDTH, device=device) for _ in range(2))
        self.query = Matrix(WIDTH, WIDTH, device)
        self.key, self.value = (Matrix(WIDTH, WIDTH // 2, device) for _ in range(2))
        self.held = [torch.zeros(1, slots, WIDTH // 2, device="cuda") for _ in range(2)] if slots else []
        self.out = Matrix(WIDTH, WIDTH, device)
        self.up, self.down = Matrix(WIDTH, 3 * WIDTH, device), Matrix(3 * WIDTH, WIDTH, device)

    def forward(self, x):
        size = (x.shape[0], x.shape[1], -1, WIDTH // HEADS)
        x_norm = self.norm1(x)
        query = self.query(x_norm).view(size).transpose(1, 2)
        key, value = (linear(x_norm).view(size).transpose(1, 2) for linear in (self.key, self.value))
        weights = F.softmax(query @ key.repeat(1, 2, 1, 1).transpose(-2, -1), dim=-1)
        x = x + self.out((weights @ value.repeat(1, 2, 1, 1)).transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self, slots=0, device=None):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH, device=device)
        self.blocks = nn.ModuleList([Block(slots, device) for _ in range(LAYERS)])
        self.head = Matrix(WIDTH, WORDS, device)

    def forward(self, words, hidden=None):
        x = self.words(words)
        for block in self.blocks:
            x = block(x)
            if hidden is not None:
                hidden.append(x)
        return self.head(x)

    def caches(self):
        return [cache for block in self.blocks for cache in block.held]


def words_of(batch=BATCH, length=LENGTH):
    return torch.randint(0, WORDS, (batch, length)).cuda()


def evaluate(model, kind=torch.float32, passes=2):
    """The first pass is noted when it is over and nothing of it is freed yet."""
    truth = Truth(model)

    def keep(tensor):
        truth.keep(tensor)
        return tensor.detach()  # an operator that saves its own output would refer to itself

    for i in range(passes):
        words = words_of()
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor), torch.autocast("cuda", kind, enabled=kind is not torch.float32):
            output = model(words)
        if i == 0:
            truth.note("forward", [words], [output])
        del output
    truth.look_back("forward")


def infer(model, held=(), passes=3):
    with torch.no_grad():
        for _ in range(passes):
            words = words_of(1)
            output = model(words)
    Truth(model).note("forward", [words], [*held, output])


def evaluated():
    """Without torch.no_grad()."""
    use_one_segment()
    model = Model().cuda()
    record()
    evaluate(model)


def evaluated_in_half():
    """Without torch.no_grad(), with autocast."""
    use_one_segment()
    model = Model().cuda()
    record()
    evaluate(model, torch.bfloat16)


def constructed():
    """Weights that constructors of the program's own layers make on the device, with stacks of Python alone."""
    record("python")
    infer(Model(device="cuda"))


def constructed_with_caches():
    record("python")
    model = Model(slots=1800, device="cuda")
    infer(model, model.caches())


def cached_in_layers():
    """A server whose layers make their caches of keys and values between their weights."""
    use_one_segment()
    model = Model(slots=1800, device="cuda")
    record()
    infer(model, model.caches())


def cached_apart():
    """A server that makes its caches after the model."""
    use_one_segment()
    model = Model().cuda()
    caches = [torch.zeros(2, 4096, WIDTH // 2, device="cuda") for _ in range(2 * LAYERS)]
    record()
    infer(model, caches)


def tuned():
    """Adam's state is as old as the model, and its gradients are gone."""
    use_one_segment()
    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        model(words_of(1)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    record()
    with torch.no_grad():
        for _ in range(3):
            words = words_of(1)
            output = model(words)
    Truth(model, optimizer).note("forward", [words], [output])


def half_copied():
    """A model in bfloat16, and an optimizer's copies of its weights in float32."""
    use_one_segment()
    model = Model().cuda().bfloat16()
    masters = [parameter.detach().float() for parameter in model.parameters()]
    record()
    infer(model, masters)


def cached_data():
    """A data set on the device: images, masks, boxes and labels."""
    images = [
        (torch.zeros(3, 224, 224).cuda(), torch.zeros(224, 224).cuda(), torch.zeros(64, 4).cuda(), torch.zeros(64).cuda())
        for _ in range(48)
    ]
    model = nn.Sequential(*(nn.Conv2d(3, 3, 3, padding=1) for _ in range(6))).cuda()
    record()
    with torch.no_grad():
        for image, *_ in images:
            output = model(image[None])
    Truth(model).note("forward", [], [output, *(tensor for parts in images for tensor in parts)])


def without_graph(call, note):
    """Notes a pass under torch.no_grad() when it is over, and looks back at it after another."""
    with torch.no_grad():
        note(call())
        call()
    Truth.look_back("forward")


def hidden_states():
    """A list of what each layer returns."""
    model = Model().cuda()
    record()
    words, hidden = words_of(), []

    def call():
        hidden.clear()
        return model(words, hidden)

    without_graph(call, lambda output: Truth(model).note("forward", [words], [output, *hidden]))


def cast_without_graph():
    """Autocast keeps its copies of the weights until it ends, also without a graph."""
    model = nn.Sequential(*(nn.Linear(WIDTH, WIDTH) for _ in range(40))).cuda()
    record()
    inputs = torch.randn(8, WIDTH).cuda()
    with torch.no_grad():
        with torch.autocast("cuda", torch.bfloat16):
            output = model(inputs)
            Truth(model).note("forward", [inputs], [output])
        del output
        model(inputs)
    Truth.look_back("forward")


def kept_outputs():
    """The outputs of a small model are kept in a list, then freed at once."""
    model = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(inplace=True), nn.Linear(WIDTH, WIDTH)).cuda()
    record()
    inputs = torch.randn(256, WIDTH).cuda()

    def call():
        return [model(inputs) for _ in range(60)]

    without_graph(call, lambda outputs: Truth(model).note("forward", [inputs], outputs))


class Recurrent(nn.Module):
    """Keeps the hidden state of each step."""

    def __init__(self):
        super().__init__()
        self.input, self.hidden = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x, states):
        state = torch.zeros_like(x)
        for _ in range(60):
            state = torch.tanh(self.input(x) + self.hidden(state))
            states.append(state)
        return state


def recurrent():
    model, states = Recurrent().cuda(), []
    record()
    inputs = torch.randn(256, WIDTH).cuda()

    def call():
        states.clear()
        return model(inputs, states)

    without_graph(call, lambda output: Truth(model).note("forward", [inputs], [output, *states]))


PROGRAMS = {
    one.__name__: one
    for one in (
        *(evaluated, evaluated_in_half, constructed, constructed_with_caches, cached_in_layers, cached_apart, tuned),
        *(half_copied, cached_data, hidden_states, cast_without_graph, kept_outputs, recurrent),
    )
}

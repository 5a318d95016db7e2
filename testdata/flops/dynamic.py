"""Sizes that are not known when a model is exported, and programs that choose or repeat parts of themselves."""

import torch
from torch import nn
from torch.export import Dim

from cases import Case
from document_models import NanoGpt
from networks import Llama
from operators import Calls, zeros


def joined(self, a, b):
    """Sizes that are expressions: a sum of two symbols, a product, a quotient."""
    rows = torch.cat([a, b], dim=0)
    halves = rows.reshape(rows.shape[0] * 8 // 4, 4)
    windows = a.unfold(0, 2, 2).flatten(1)
    return self.layer(rows), halves @ halves.T, windows @ windows.T, (a @ b.T).flatten() @ (a @ b.T).flatten()


def strided(self, image):
    """Sizes with divisions, remainders and choices: strides, padding up to a multiple, the larger of two."""
    down = self.down(image)
    rows, columns = down.shape[2:]
    padded = nn.functional.pad(down, (0, -columns % 8))
    windows = padded.unflatten(3, (-1, 8)).flatten(0, 2)
    longest = torch.sym_max(rows, columns)
    line = torch.ones(longest, 5)
    shorter = torch.ones(torch.sym_min(rows * 3, columns + 7), 5)
    return self.up(down), windows @ windows.transpose(1, 2), line @ line.T, shorter @ line.T, self.pool(image)


def striding():
    return Calls(
        strided,
        down=nn.Conv2d(3, 4, 3, stride=2),
        up=nn.ConvTranspose2d(4, 3, 3, stride=2),
        pool=nn.Sequential(nn.AvgPool2d(2, ceil_mode=True), nn.Conv2d(3, 2, 2)),
    )


def chosen(self, x):
    """The first branch has more of addmm, the second more of mm."""
    return torch.cond(
        x.sum() > 0,
        lambda x: self.wide(self.wide(x)) @ x,
        lambda x: self.narrow(x) @ self.back.weight.T @ x @ x,
        (x,),
    )


def choosing():
    return Calls(chosen, wide=nn.Linear(8, 8), narrow=nn.Linear(8, 4), back=nn.Linear(4, 8, bias=False))


def chosen_inside(self, x):
    def positive(x):
        return torch.cond(x.mean() > 1, lambda x: self.layer(self.layer(x)), lambda x: self.layer(x), (x,))

    return torch.cond(x.sum() > 0, positive, lambda x: x + 1, (x,))


def chosen_later(self, x):
    x = torch.relu(self.layer(x))
    return torch.cond(x.sum() > 0, lambda x: self.layer(self.layer(x)), lambda x: self.layer(x), (x,))


def repeated(self, count, x):
    from torch._higher_order_ops.while_loop import while_loop

    return while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, torch.relu(x @ self.layer.weight)), (count, x))


def mapped(self, rows):
    try:
        from torch._higher_order_ops.map import map as map_over
    except ImportError:
        from functorch.experimental.control_flow import map as map_over

    return map_over(lambda row, weight: torch.relu(row @ weight), rows, self.layer.weight)


def scanned(self, start, rows):
    from torch._higher_order_ops.scan import scan

    def step(carried, row):
        following = torch.tanh(carried @ self.layer.weight + row)
        return following, following.clone()

    return scan(step, start, rows, dim=0)


def unbacked(self, x, kept):
    rows = x[kept]
    return self.layer(rows)


class Trained(nn.Module):
    """Returns its loss, so that a joint graph of forward and backward can be made of it."""

    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, x, wanted):
        return nn.functional.cross_entropy(self.model(x), wanted)


def with_layer(function):
    return lambda: Calls(function, layer=nn.Linear(8, 8))


CASES = {
    "dynamic_llama": Case(
        Llama,
        lambda: (torch.zeros(2, 128, dtype=torch.long),),
        ("plain", "decomposed"),
        dynamic_shapes=lambda: ({0: Dim("batch", max=64), 1: Dim("tokens", min=2, max=2048)},),
    ),
    "dynamic_gpt": Case(
        lambda: NanoGpt(layers=2, heads=4, width=64, vocabulary=100, context=64),
        lambda: (torch.zeros(3, 32, dtype=torch.long),),
        dynamic_shapes=lambda: ({0: Dim("batch", max=64), 1: Dim("tokens", min=2, max=63)},),
    ),
    "expressions": Case(
        with_layer(joined),
        zeros((6, 8), (10, 8)),
        ("plain", "decomposed"),
        dynamic_shapes=lambda: (({0: 2 * Dim("half", min=2, max=64)}, {0: Dim("rows", min=2, max=512)}),),
    ),
    "strides": Case(
        striding,
        zeros((2, 3, 40, 57)),
        ("plain", "decomposed"),
        dynamic_shapes=lambda: (({2: Dim.DYNAMIC, 3: Dim.DYNAMIC},),),
    ),
    "cond": Case(choosing, zeros((8, 8)), ("plain", "decomposed")),
    "cond_later": Case(with_layer(chosen_later), zeros((8, 8))),
    "cond_nested": Case(with_layer(chosen_inside), zeros((8, 8))),
    "cond_dynamic": Case(
        with_layer(chosen_inside), zeros((12, 8)), dynamic_shapes=lambda: (({0: Dim("rows", min=2)},),)
    ),
    "while_loop": Case(with_layer(repeated), lambda: (torch.zeros((), dtype=torch.long), torch.zeros(4, 8))),
    "map": Case(with_layer(mapped), zeros((6, 4, 8))),
    "scan": Case(with_layer(scanned), zeros((3, 8), (5, 3, 8))),
    "unbacked": Case(
        with_layer(unbacked), lambda: (torch.ones(6, 8), torch.tensor([True, True, False, False, True, False]))
    ),
    "loss": Case(
        Trained,
        lambda: (torch.zeros(5, 8), torch.zeros(5, dtype=torch.long)),
        ("plain", "decomposed", "joint"),
    ),
}

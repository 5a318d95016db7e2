"""Parts of a model that torch.export keeps as sub-graphs of higher-order operators, each run once a call."""

import torch

from cases import Case
from dynamic import with_layer
from operators import zeros


def without_gradients(self, x):
    with torch.no_grad():
        x = torch.relu(self.layer(x))
    return self.layer(x)


def automatically_cast(self, x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        x = torch.relu(self.layer(x))
    return self.layer(x)


@getattr(torch.compiler, "nested_compile_region", lambda function: function)
def region(x, weight):
    return torch.relu(x @ weight) @ weight


def invoked_thrice(self, x):
    """The same region on the same shapes: one sub-graph, invoked three times."""
    for _ in range(3):
        x = region(x, self.layer.weight)
    return x


CASES = {
    "no_grad_region": Case(with_layer(without_gradients), zeros((4, 8)), ("plain", "decomposed")),
    "autocast_region": Case(with_layer(automatically_cast), zeros((4, 8)), ("plain", "decomposed")),
    "invoked_regions": Case(
        with_layer(invoked_thrice), zeros((4, 8)), strict=True, needs="compiler.nested_compile_region"
    ),
}

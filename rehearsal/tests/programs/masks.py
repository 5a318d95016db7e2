"""The gradients of what a mask selects have the shapes that the mask gives them, known or made up."""

import torch
from torch.utils.checkpoint import checkpoint

mask = torch.tensor([True, False, True, False], device="cuda")
none = torch.zeros(4, dtype=torch.bool, device="cuda")


def new(*shape):
    return torch.randn(*shape, device="cuda", requires_grad=True)


def learned_rows():
    x = torch.randn(4, 8, device="cuda") @ new(8, 8)
    return x.sum(-1)[torch.randint(0, 2, (4,), device="cuda").bool()].mean()


def both_parts():
    x = new(4)
    both = torch.cat([x[mask, ...], x[~mask, ...]], 0)
    assert both.shape == (4,), both.shape
    return both.sum()


def written(value):
    x = new(4, 8) * 1
    x[mask] = value
    return x.sum()


def twice():
    x = new(4, 8)
    (gradient,) = torch.autograd.grad(x[mask].pow(2).sum(), x, create_graph=True)
    return gradient[mask].sum()


x = new(4, 8)
large = new(1024, 256)  # of which nothing is known
FORMS = {
    "rows": lambda: x[mask].sum(),
    "minus the rest": lambda: (x[mask] - x[~mask].mean()).sum(),
    "where": lambda: torch.where(mask[:, None], x, -x).sum(),
    "both parts": both_parts,
    "learned rows": learned_rows,
    "written rows": lambda: written(new(2, 8)),
    "filled rows": lambda: written(0),
    "masked_select": lambda: x.masked_select(mask[:, None]).sum(),
    "part of rows": lambda: x[mask, 1:3].sum(),
    "columns": lambda: x.T[:, mask].sum(),
    "two dimensions": lambda: x[:, :4][mask.view(4, 1) & mask].sum(),
    "made up": lambda: large[large > 0].sum(),
    "nonzero": lambda: x[mask.nonzero().squeeze(1)].sum(),
    "nothing": lambda: x[none].sum(),
    "twice": twice,
    "again": lambda: checkpoint(lambda x: x[mask] * 2, x, use_reentrant=False).sum(),
}
for name, form in FORMS.items():
    try:
        form().backward()
    except Exception as error:
        raise AssertionError(name) from error
assert x.grad.shape == x.shape
print("forms", len(FORMS))

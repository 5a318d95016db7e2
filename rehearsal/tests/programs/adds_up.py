"""Gradients of a parameter are added up in place, and what is computed again in the backward pass chooses as before."""

import torch
from torch.utils.checkpoint import checkpoint
weight = torch.ones(1024, 1024, device="cuda", requires_grad=True)
def experts(x):
    chosen = torch.topk(x[:, :8], 2).indices
    parts = [x[torch.where(chosen == expert)[0]] for expert in range(8)]
    assert {len(part) for part in parts} <= {0, 256}, [len(part) for part in parts]
    return sum(part.sum() for part in parts)
loss = sum((weight * factor).sum() for factor in range(1, 5))
if "experts" in __import__("sys").argv:
    loss = loss + sum(checkpoint(experts, weight, use_reentrant=way) for way in (False, True))
loss.backward()

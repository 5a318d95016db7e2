"""A checkpoint that keeps every second product of parameters that are spread over two ranks."""

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

mesh = init_device_mesh("cuda", (2,))
products = []


def spread(*shape, over):
    return distribute_tensor(torch.randn(*shape, device="cuda", requires_grad=True), mesh, [over])


def policy(_context, function, *_, **__):
    if function != torch.ops.aten.mm.default:
        return CheckpointPolicy.PREFER_RECOMPUTE
    products.append(function)
    return CheckpointPolicy.MUST_SAVE if len(products) % 2 else CheckpointPolicy.PREFER_RECOMPUTE


wide, narrow, whole = spread(256, 512, over=Shard(1)), spread(512, 64, over=Shard(0)), spread(64, 256, over=Replicate())
x = spread(128, 256, over=Replicate())
out = checkpoint(
    lambda x: (((x @ wide).relu() @ narrow).relu() @ whole).relu(),
    x, use_reentrant=False, context_fn=lambda: create_selective_checkpoint_contexts(policy),
)  # fmt: skip
out.sum().backward()
print("products", len(products))

"""Keeps, of a layer of 32 MiB: with DDP the parameters, their gradients in buckets and two moments of AdamW; with FSDP
half of each on each of two ranks."""

import os
import sys

import torch
import torch.distributed as dist

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl")
model = torch.nn.Sequential(*[torch.nn.Linear(2048, 2048, bias=False, device="cuda") for _ in range(2)])
if sys.argv[1] == "ddp":
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
elif sys.argv[1] == "fsdp":
    from torch.distributed.fsdp import FullyShardedDataParallel
    model = FullyShardedDataParallel(model, sync_module_states=True)
else:
    from torch.distributed.fsdp import fully_shard
    for part in (*model, model):
        fully_shard(part)
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    model(torch.ones(16, 2048, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
kept = sum(state.to_local().nbytes if hasattr(state, "to_local") else state.nbytes
           for of_one in optimizer.state.values() for key, state in of_one.items() if key != "step")
sys.stdout.write(f"moments {kept}\n")  # in one piece: both ranks write to one pipe
dist.destroy_process_group()

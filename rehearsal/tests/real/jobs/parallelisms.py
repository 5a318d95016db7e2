"""Three steps of a small job of each kind of parallelism: parallelisms.py KIND..., one after the other in the same processes."""


import functools
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh

WIDTH, LAYERS, WORDS, LENGTH, STEPS = 256, 4, 1000, 128, 3


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Model(nn.Module):
    def __init__(self, layers=LAYERS, is_first=True, is_last=True):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH) if is_first else nn.Identity()
        self.layers = nn.ModuleList(Block() for _ in range(layers))
        self.head = nn.Linear(WIDTH, WORDS, bias=False) if is_last else nn.Identity()

    def forward(self, x):
        x = self.embedding(x)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def loss_of(output, target):
    return F.cross_entropy(output.flatten(0, 1).float(), target.flatten())


def batch(rows=4):
    return torch.randint(0, WORDS, (rows, LENGTH), device="cuda")


def end_step(optimizer):
    optimizer.step()
    optimizer.zero_grad()
    time.sleep(0.3)  # PyTorch's watchdog, which lets go of the buffers of collectives, looks every 0.1 s


def train(model, optimizer=None, forward=None):
    optimizer = optimizer or torch.optim.AdamW(model.parameters(), lr=1e-4)
    for _ in range(STEPS):
        words = batch()
        loss_of((forward or model)(words), words).backward()
        end_step(optimizer)


def ddp():
    train(nn.parallel.DistributedDataParallel(Model().cuda(), device_ids=[torch.cuda.current_device()]))


def fsdp1():
    from torch.distributed.fsdp import FullyShardedDataParallel
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    policy = ModuleWrapPolicy({Block})
    train(FullyShardedDataParallel(Model().cuda(), auto_wrap_policy=policy, device_id=torch.cuda.current_device()))


def fsdp2(**named):
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    model = Model().cuda()
    named.setdefault("mp_policy", MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
    for layer in model.layers:
        fully_shard(layer, **named)
    train(fully_shard(model, **named))


def fsdp2_kept():
    fsdp2(reshard_after_forward=False)


def hsdp():
    fsdp2(mesh=init_device_mesh("cuda", (2, dist.get_world_size() // 2), mesh_dim_names=("replicas", "shards")))


def tp():
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    model = Model().cuda()
    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    for layer in model.layers:
        parallelize_module(layer, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    # Only some of the parameters are DTensors.
    train(model, torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=False))


def stages(schedule_class, per_rank):
    from torch.distributed.pipelining import PipelineStage

    rank, ranks = dist.get_rank(), dist.get_world_size()
    count = ranks * per_rank
    parts = [
        PipelineStage(Model(1, index == 0, index == count - 1).cuda(), index, count, torch.device("cuda"))
        for index in range(rank, count, ranks)
    ]
    schedule = schedule_class(parts if per_rank > 1 else parts[0], 2 * ranks, loss_fn=loss_of)
    optimizer = torch.optim.AdamW([weight for part in parts for weight in part.submod.parameters()])
    for _ in range(STEPS):
        words = batch(2 * ranks)
        schedule.step(*([words] if rank == 0 else []), **({"target": words} if rank == ranks - 1 else {}))
        end_step(optimizer)


def pp_1f1b():
    from torch.distributed.pipelining import Schedule1F1B

    stages(Schedule1F1B, 1)


def pp_interleaved():
    from torch.distributed.pipelining import ScheduleInterleaved1F1B

    stages(ScheduleInterleaved1F1B, 2)


def cp():
    from torch.distributed.tensor.experimental import context_parallel

    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    qkv, out = nn.Linear(WIDTH, 3 * WIDTH).cuda(), nn.Linear(WIDTH, WIDTH).cuda()
    optimizer = torch.optim.AdamW([*qkv.parameters(), *out.parameters()])
    for _ in range(STEPS):
        x = torch.randn(2, 8 * LENGTH, WIDTH, device="cuda")
        with context_parallel(mesh, buffers=[x], buffer_seq_dims=[1]):
            q, k, v = (part.unflatten(2, (4, -1)).transpose(1, 2).bfloat16() for part in qkv(x).chunk(3, dim=2))
            found = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            out(found.transpose(1, 2).flatten(2).float()).sum().backward()
        end_step(optimizer)


class Experts(nn.Module):
    """A layer in which each rank has one expert: words are sent to them and come back."""

    def __init__(self):
        super().__init__()
        self.expert = Block()

    def forward(self, x):
        from torch.distributed.nn.functional import all_to_all_single

        words = x.flatten(0, 1)
        sent = self.expert(all_to_all_single(torch.empty_like(words), words))
        return x + all_to_all_single(torch.empty_like(sent), sent).view_as(x)


def ep():
    model = Model().cuda()
    model.layers.append(Experts().cuda())
    train(model)


def zero(stage):
    import deepspeed

    settings = {
        "train_micro_batch_size_per_gpu": 4,
        "zero_optimization": {"stage": stage},
        "bf16": {"enabled": True},
        "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "torch_adam": True}},
    }
    model = Model()
    engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=settings)
    for _ in range(STEPS):
        words = batch()
        engine.backward(loss_of(engine(words), words))
        engine.step()
        time.sleep(0.3)


def zero1_torch():
    from torch.distributed.optim import ZeroRedundancyOptimizer

    model = nn.parallel.DistributedDataParallel(Model().cuda(), device_ids=[torch.cuda.current_device()])
    train(model, ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=1e-4))


def objects():
    """Not in the table: collectives over objects and CPU tensors, stores, and a checkpoint of all ranks."""
    import tempfile

    import torch.distributed.checkpoint as checkpoint

    rank, ranks = dist.get_rank(), dist.get_world_size()
    found = [None] * ranks
    dist.all_gather_object(found, {"rank": rank})
    assert found == [{"rank": one} for one in range(ranks)], found
    named = ["from 0"] if rank == 0 else [None]
    dist.broadcast_object_list(named, src=0)
    assert named == ["from 0"], named
    scattered = [None]
    dist.scatter_object_list(scattered, [f"for {one}" for one in range(ranks)] if rank == 0 else None, src=0)
    assert scattered == [f"for {rank}"], scattered
    gathered = [None] * ranks if rank == 0 else None
    dist.gather_object(rank, gathered, dst=0)
    assert gathered == (list(range(ranks)) if rank == 0 else None), gathered
    gloo = dist.new_group(backend="gloo")
    numbers = torch.tensor([rank + 1])
    dist.all_reduce(numbers, group=gloo)
    assert numbers.item() == sum(range(ranks + 1)), numbers
    before = (rank - 1) % ranks
    taken = dist.irecv(numbers, src=before, group=gloo)  # before anything is sent
    dist.send(torch.tensor([rank + 7]), dst=(rank + 1) % ranks, group=gloo)
    taken.wait()
    assert numbers.item() == before + 7, numbers
    if rank == 0:
        dist.isend(torch.tensor([9]), dst=1, group=gloo, tag=3).wait()
    elif rank == 1:
        assert dist.recv(numbers, src=0, group=gloo, tag=3) == 0 and numbers.item() == 9, numbers
    store = dist.PrefixStore("of a group", dist.HashStore())
    store.set("key", "value")
    assert store.get("key") == b"value"
    with tempfile.TemporaryDirectory() as folder:
        shared = [folder]
        dist.broadcast_object_list(shared, src=0)
        weights = {"weight": torch.ones(1000, device="cuda")}
        checkpoint.save(weights, checkpoint_id=shared[0])
        checkpoint.load(weights, checkpoint_id=shared[0])
        dist.barrier()


KINDS = {
    one.__name__: one
    for one in (ddp, fsdp1, fsdp2, fsdp2_kept, hsdp, tp, pp_1f1b, pp_interleaved, cp, ep, zero1_torch, objects)
}
KINDS |= {f"zero{stage}": functools.partial(zero, stage) for stage in (1, 2, 3)}


def main(kinds):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    for kind in kinds:
        KINDS[kind]()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1:])

"""PyTorch: fully_shard, with one rank, mixed precision and activation checkpointing of every second layer."""

import torch
import torch.distributed as dist
from model import llama, train
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

dist.init_process_group("nccl")
model = llama().cuda()
policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)
layers = model.model.layers
for number in range(0, len(layers), 2):
    layers[number] = checkpoint_wrapper(layers[number])
for layer in layers:
    fully_shard(layer, mp_policy=policy)
fully_shard(model, mp_policy=policy)


def loss_of(model):
    tokens = torch.randint(3, 8000, (4, 256), device="cuda")
    return model(input_ids=tokens, labels=tokens).loss


train(model, loss_of)
dist.destroy_process_group()

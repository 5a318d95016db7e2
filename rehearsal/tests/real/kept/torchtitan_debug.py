"""torchtitan: its Trainer, with fully_shard and selective activation checkpointing."""

import json
import pathlib

import torch
import torchtitan.trainer  # noqa: F401 first, because the registries import each other
from model import make_tokenizer, show
from torchtitan.models.llama3.config_registry import llama3_debugmodel

# Torch 2.13 does not have it yet; torchtitan 0.3 calls it after the first step, and memory does not depend on it.
torch.distributed.set_timeout = getattr(torch.distributed, "set_timeout", lambda *_: None)
make_tokenizer("tokenizer")
pathlib.Path("data").mkdir()
with open("data/texts.json", "w") as texts:
    texts.writelines(json.dumps({"text": "a text of some words " * 200}) + "\n" for _ in range(64))
config = llama3_debugmodel()
config.hf_assets_path = "tokenizer"
config.dataloader.dataset_path = "data"
config.loss = config.loss.loss_fn
config.training.steps = 3
config.training.local_batch_size = 2
config.validator.freq = 0
config.validator.enable = False
config.checkpoint.enable = False
config.metrics.enable_tensorboard = False
trainer = config.build()
trainer.train()
show(torch.cuda.memory_stats()["active.all.current"])
trainer.close()
torch.distributed.destroy_process_group()

"""Three steps of a language model under DeepSpeed's ZeRO.

deepspeed_zero.py STAGE [optimizer|parameters]: which are kept on the host.
"""

import sys

import deepspeed
import torch
from transformer import Transformer, loss_of

stage = int(sys.argv[1])
offloaded = sys.argv[2] if len(sys.argv) > 2 else None
zero = {"stage": stage}
if offloaded:
    zero["offload_optimizer"] = {"device": "cpu"}
if offloaded == "parameters":
    zero["offload_param"] = {"device": "cpu"}
config = {
    "train_micro_batch_size_per_gpu": 1,
    "bf16": {"enabled": True},
    "zero_optimization": zero,
    "zero_allow_untested_optimizer": True,
    "zero_force_ds_cpu_optimizer": False,  # DeepSpeed's own would be compiled first
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "torch_adam": True}},
}
deepspeed.init_distributed("nccl")
torch.manual_seed(0)
with deepspeed.zero.Init(config_dict_or_path=config, enabled=stage == 3):
    model = Transformer()
engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
for _ in range(3):
    tokens = torch.randint(0, 8000, (1, 512), device=engine.device)
    engine.backward(loss_of(engine(tokens), tokens))
    engine.step()

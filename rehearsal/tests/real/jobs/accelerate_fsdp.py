"""Three steps of a transformers model, made from its configuration, under accelerate's FSDP.

accelerate_fsdp.py VERSION: 1 (FullyShardedDataParallel) or 2 (fully_shard).
"""

import sys

import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from transformers import LlamaConfig, LlamaForCausalLM

plugin = FullyShardedDataParallelPlugin(
    fsdp_version=int(sys.argv[1]),
    auto_wrap_policy="transformer_based_wrap",
    transformer_cls_names_to_wrap=["LlamaDecoderLayer"],
)
accelerator = Accelerator(mixed_precision="bf16", fsdp_plugin=plugin)
torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=8000,
    hidden_size=1024,
    intermediate_size=2816,
    num_hidden_layers=6,
    num_attention_heads=8,
    num_key_value_heads=4,
    use_cache=False,
)
model = LlamaForCausalLM(config)
model, optimizer = accelerator.prepare(model, torch.optim.AdamW(model.parameters(), lr=1e-4))
for _ in range(3):
    tokens = torch.randint(0, 8000, (2, 512), device=accelerator.device)
    accelerator.backward(model(input_ids=tokens, labels=tokens).loss)
    accelerator.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()

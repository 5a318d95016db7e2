"""Three steps of a GPT of megatron.core with its distributed optimizer.

megatron_gpt.py TENSOR_RANKS PIPELINE_RANKS
"""

import os
import sys

import torch
from megatron.core import parallel_state
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig, finalize_model_grads
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.models.gpt.gpt_model import GPTModel
from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
from megatron.core.pipeline_parallel.schedules import get_forward_backward_func
from megatron.core.tensor_parallel.random import model_parallel_cuda_manual_seed
from megatron.core.transformer.module import Float16Module
from megatron.core.transformer.transformer_config import TransformerConfig

TOKENS, WORDS, MICROBATCHES = 512, 8192, 8


def forward_step(_, model):
    tokens = torch.zeros((1, TOKENS), dtype=torch.long, device="cuda")
    positions = torch.arange(TOKENS, device="cuda").unsqueeze(0)
    mask = torch.ones((1, 1, TOKENS, TOKENS), dtype=torch.bool, device="cuda").triu(1)

    def loss_of(losses):
        loss = losses.float().mean()
        return loss, {"loss": loss.detach()}

    return model(tokens, positions, mask, labels=tokens), loss_of


tensor_ranks, pipeline_ranks = map(int, sys.argv[1:])
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
torch.distributed.init_process_group("nccl")
parallel_state.initialize_model_parallel(tensor_ranks, pipeline_ranks)
model_parallel_cuda_manual_seed(123)
config = TransformerConfig(
    num_layers=8,
    hidden_size=1024,
    num_attention_heads=8,
    bf16=True,
    params_dtype=torch.bfloat16,
    pipeline_dtype=torch.bfloat16,
    tensor_model_parallel_size=tensor_ranks,
    pipeline_model_parallel_size=pipeline_ranks,
    gradient_accumulation_fusion=False,
    masked_softmax_fusion=False,
    bias_dropout_fusion=False,
    finalize_model_grads_func=finalize_model_grads,
)
model = GPTModel(
    config=config,
    transformer_layer_spec=get_gpt_layer_local_spec(),
    vocab_size=WORDS,
    max_sequence_length=TOKENS,
    pre_process=parallel_state.is_pipeline_first_stage(),
    post_process=parallel_state.is_pipeline_last_stage(),
).cuda()
kinds = DistributedDataParallelConfig(grad_reduce_in_fp32=True, use_distributed_optimizer=True)
model = DistributedDataParallel(config, kinds, Float16Module(config, model))
optimizer = get_megatron_optimizer(OptimizerConfig(bf16=True, lr=1e-4, use_distributed_optimizer=True), [model])
for _ in range(3):
    model.zero_grad_buffer()
    optimizer.zero_grad()
    get_forward_backward_func()(
        forward_step_func=forward_step,
        data_iterator=None,
        model=[model],
        num_microbatches=MICROBATCHES,
        seq_length=TOKENS,
        micro_batch_size=1,
        forward_only=False,
    )
    optimizer.step()

"""peft: LoRA adapters of a frozen model, trained in a loop."""

import torch
from model import llama, train
from peft import LoraConfig, get_peft_model

model = get_peft_model(llama().cuda(), LoraConfig(r=8, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"))


def loss_of(model):
    tokens = torch.randint(3, 8000, (4, 256), device="cuda")
    return model(input_ids=tokens, labels=tokens).loss


train(model, loss_of)

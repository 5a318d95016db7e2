"""PyTorch: torch.compile with Inductor."""

import torch
from model import llama, train

model = torch.compile(llama().cuda())


def loss_of(model):
    tokens = torch.randint(3, 8000, (4, 256), device="cuda")
    return model(input_ids=tokens, labels=tokens).loss


train(model, loss_of)

"""Small trainings whose memory is the same in every run: programs.py NAME prints the allocator's figures as JSON.

`step_time` prints the time of a step instead.
"""

import json
import os
import sys
import time

import torch
from torch import nn


def trained(model, batch, optimizer, steps):
    for _ in range(steps):
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()


def mlp(steps=4):
    layers = [layer for _ in range(8) for layer in (nn.Linear(1024, 1024), nn.GELU())]
    model = nn.Sequential(*layers).cuda()
    trained(model, torch.ones(512, 1024, device="cuda"), torch.optim.AdamW(model.parameters()), steps)
    return model


def transformer():
    layer = nn.TransformerEncoderLayer(256, 8, 1024, dropout=0.0, batch_first=True, norm_first=True)
    model = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).cuda()
    with torch.autocast("cuda", torch.bfloat16):
        trained(model, torch.ones(8, 256, 256, device="cuda"), torch.optim.Adam(model.parameters()), 4)


def convolutions():
    blocks = [layer for _ in range(4) for layer in (nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU())]
    model = nn.Sequential(nn.Conv2d(3, 32, 3), *blocks, nn.MaxPool2d(2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    trained(model, torch.ones(16, 3, 128, 128, device="cuda"), optimizer, 4)


def figures():
    stats = torch.cuda.memory_stats()
    return {
        "allocated_peak_bytes": stats["allocated_bytes.all.peak"],
        "requested_peak_bytes": stats["requested_bytes.all.peak"],
        "reserved_peak_bytes": stats["reserved_bytes.all.peak"],
        "allocations": stats["allocation.all.allocated"],
        "segments": stats["segment.all.allocated"],
    }


def step_time():
    model = mlp(20)
    batch, optimizer = torch.ones(512, 1024, device="cuda"), torch.optim.AdamW(model.parameters())
    trained(model, batch, optimizer, 20)
    begin = time.perf_counter()
    trained(model, batch, optimizer, 100)
    return {"us_a_step": round((time.perf_counter() - begin) * 1e4)}


def main():
    name = sys.argv[1]
    if name == "step_time":
        print(json.dumps(step_time()), flush=True)
        return
    {"mlp": mlp, "transformer": transformer, "convolutions": convolutions}[name]()
    print(json.dumps(figures()), flush=True)
    # On a busy machine PyTorch's threads sometimes outlive Python's end, which then is a signal.
    os._exit(0)


main()

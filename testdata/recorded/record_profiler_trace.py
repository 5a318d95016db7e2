"""Records profiler_train.json.gz and profiler_cpu.json.gz: traces of PyTorch's profiler with memory events.

    memviz rehearse --no-record --values=off --gpu h100 --memory 3GiB -- python testdata/recorded/record_profiler_trace.py FOLDER

Of each trace only the events of memory, calls and annotations are kept, without the arguments of calls and the functions of the
rehearsal, so that the files are small.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, schedule

KEPT = {"cpu_op", "python_function", "user_annotation", "cpu_instant_event"}


def layers(device: str) -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 256)).to(device)


def train(device: str, steps: int, has_stacks: bool) -> Any:
    model = layers(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    kept = []
    plan = schedule(wait=0, warmup=0, active=steps, repeat=1) if has_stacks else None
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True, with_stack=has_stacks, schedule=plan) as profiler:
        for _ in range(steps):
            step(model, optimizer, device, kept)
            profiler.step()
    return profiler


def step(model: torch.nn.Module, optimizer: torch.optim.Optimizer, device: str, kept: list[torch.Tensor]) -> None:
    loss = model(torch.randn(64, 256, device=device)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    remember(kept, device)


def remember(kept: list[torch.Tensor], device: str) -> None:
    kept.append(torch.empty(1024, 256, device=device))


def write(profiler: Any, path: str) -> None:
    whole = path + ".whole.json"
    profiler.export_chrome_trace(whole)
    with open(whole) as file:
        trace = json.load(file)
    os.remove(whole)
    for event in trace["traceEvents"]:
        if event.get("name") != "[memory]":
            event.pop("args", None)
    trace["traceEvents"] = [event for event in trace["traceEvents"] if event.get("cat") in KEPT and "/memviz_" not in event["name"]]
    for key in ("host_name", "traceName", "trace_id", "ERROR"):
        trace.pop(key, None)
    with gzip.GzipFile(path, "wb", mtime=0) as packed:
        packed.write(json.dumps(trace, separators=(",", ":")).encode())


if __name__ == "__main__":
    folder = sys.argv[1]
    write(train("cuda", 4, True), os.path.join(folder, "profiler_train.json.gz"))
    write(train("cpu", 1, False), os.path.join(folder, "profiler_cpu.json.gz"))

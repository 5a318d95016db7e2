"""Reads eleven values in a worker that is a process of multiprocessing, which runs no exit handlers."""

import multiprocessing
import sys


def read():
    import torch

    sys.path.insert(0, sys.argv[1])
    from vllm.v1.worker import gpu_worker
    values = torch.ones(11, device="cuda")
    for value in values:
        value.item()


worker = multiprocessing.get_context("fork").Process(target=read)
worker.start()
worker.join()

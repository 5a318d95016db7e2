"""Uses a worker of vLLM's module and class name, whose code is left without values but where its model encodes images."""

import sys

import torch


def selected():
    return int((torch.arange(1000, device="cuda") % 2 == 0).sum())


sys.path.insert(0, sys.argv[1])
from vllm.v1.worker.gpu_worker import Worker
worker = Worker()
worker.load_model()
for counts in ([3, 7], [5, 4, 1]):
    parts = worker.execute_model(lambda: worker.model_runner.model.embed_multimodal(counts=torch.tensor(counts).to("cuda")))
    assert [len(part) for part in parts] == [count + 1 for count in counts], parts
around = [selected(), worker.execute_model(selected), selected()]
try:
    worker.execute_model(lambda: 1 // 0)
except ZeroDivisionError:
    around.append(selected())
print(around)

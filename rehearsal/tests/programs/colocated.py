"""Trains, and serves in between with an engine that sleeps, as trl's GRPO does with vLLM: which logs errors alone then."""

import os

os.environ["VLLM_LOGGING_LEVEL"] = "ERROR"

from torch.optim.optimizer import Optimizer  # noqa: E402
from vllm.engine.arg_utils import EngineArgs  # noqa: E402
from vllm.v1.engine import core  # noqa: E402

EngineArgs("model").create_engine_config()
worker = core.start_engine("")
worker.sleep(level=2)
for _ in range(2):
    worker.wake_up(["weights"])
    worker.wake_up(tags=["kv_cache"])
    worker.sleep()
    Optimizer().step()
worker.wake_up()

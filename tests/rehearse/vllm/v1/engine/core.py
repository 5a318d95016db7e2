import logging
import os
import pathlib
import signal
import sys

from vllm.v1.worker.gpu_model_runner import GPUModelRunner
from vllm.v1.worker.gpu_worker import Worker

TOKENS, LENGTH = 4096, 1024


def start_engine(error):
    log = logging.getLogger("vllm.v1.engine")
    try:
        worker = Worker()
        worker.load_model()
        if "FAKE_SERVER_STARTS" in os.environ:
            pathlib.Path(os.environ["FAKE_SERVER_STARTS"]).touch()
            signal.pause()
        worker.determine_available_memory()
        if error:
            raise ValueError(error)
        worker.initialize_from_config()
        log.info("GPU KV cache size: %s tokens", f"{TOKENS:,}")
        log.info("Maximum concurrency for %s tokens per request: %.2fx", f"{LENGTH:,}", TOKENS / LENGTH)
        GPUModelRunner().capture_model()
    except ValueError:
        log.exception("EngineCore failed to start.")
        raise RuntimeError("Engine core initialization failed. See root cause above. Failed core proc(s): {}") from None


def run_engine(ready):
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit())
    start_engine("")
    ready.set()
    signal.pause()

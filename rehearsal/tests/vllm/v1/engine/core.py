import logging
import multiprocessing
import os
import pathlib
import signal
import sys

from vllm.v1.core import kv_cache_utils
from vllm.v1.worker.gpu_model_runner import GPUModelRunner
from vllm.v1.worker.gpu_worker import Worker


def start_engine(error):
    log = logging.getLogger("vllm.v1.engine")
    try:
        worker = Worker()
        worker.load_model()
        if "FAKE_SERVER_STARTS" in os.environ:
            pathlib.Path(os.environ["FAKE_SERVER_STARTS"]).touch()
            signal.pause()
        available = worker.determine_available_memory()
        if error:
            raise ValueError(error)
        kv_cache_utils.check_enough_kv_cache_memory(available)
        worker.initialize_from_config()
        kv_cache_utils.report_kv_cache_config()
        GPUModelRunner().capture_model()
        return worker
    except ValueError:
        log.exception("EngineCore failed to start.")
        raise RuntimeError("Engine core initialization failed. See root cause above. Failed core proc(s): {}") from None


def run_engine(ready):
    lock = multiprocessing.get_context("spawn").RLock()  # as tqdm makes one
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit())
    if os.environ.get("FAKE_SERVER_KILLS"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    start_engine("")
    ready.set()
    with lock:
        signal.pause()

"""python3 -m vllm MODEL [ERROR]: as `vllm serve MODEL` does, in one process; ERROR ends its start, in words of vLLM."""

import errno
import logging
import os
import sys

from vllm import logger
from vllm.engine.arg_utils import EngineArgs
from vllm.entrypoints.openai import api_server
from vllm.v1.worker.gpu_model_runner import GPUModelRunner
from vllm.v1.worker.gpu_worker import Worker

TOKENS, LENGTH = 4096, 1024


def start_engine(error):
    log = logging.getLogger("vllm.v1.engine")
    try:
        worker = Worker()
        worker.load_model()
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


def main(model, error=""):
    if os.environ.get("FAKE_SERVER_LACKS_PORT"):
        raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
    logger.configure_again()
    arguments = EngineArgs(model)
    arguments.create_engine_config()
    start_engine(error)
    api_server.run_server()


main(*sys.argv[1:])

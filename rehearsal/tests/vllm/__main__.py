"""python3 -m vllm MODEL [ERROR]: as `vllm serve MODEL` does, in one process, or with FAKE_SERVER_ENGINE with its engine in
another, as vLLM's; ERROR ends its start, in words of vLLM. FAKE_SERVER_STARTS is a file that is made when the engine has
loaded its model, which does not go on then. With FAKE_SERVER_KILLS it kills its processes at its end, as SGLang does.
"""

import errno
import multiprocessing
import multiprocessing.resource_tracker
import os
import signal
import sys

from vllm import logger
from vllm.engine.arg_utils import EngineArgs
from vllm.entrypoints.openai import api_server
from vllm.v1.engine import core


def serve_with_engine():
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Event()
    engine = spawn.Process(target=core.run_engine, args=(ready,))
    engine.start()
    try:
        while not ready.wait(0.1):
            if not engine.is_alive():
                sys.exit("the engine ended")
        api_server.run_server()
    finally:
        if os.environ.get("FAKE_SERVER_KILLS"):
            engine.kill()
            os.kill(multiprocessing.resource_tracker._resource_tracker._pid, signal.SIGKILL)
        engine.terminate()
        engine.join()


def main(model, error=""):
    if os.environ.get("FAKE_SERVER_LACKS_PORT"):
        raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
    logger.configure_again()
    arguments = EngineArgs(model)
    arguments.create_engine_config()
    if os.environ.get("FAKE_SERVER_ENGINE"):
        serve_with_engine()
        return
    core.start_engine(error)
    api_server.run_server()


if __name__ == "__main__":
    main(*sys.argv[1:])

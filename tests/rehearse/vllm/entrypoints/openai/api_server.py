import asyncio
import signal
import sys
import time

import uvicorn.server
from vllm.engine.arg_utils import EngineArgs
from vllm.v1.engine import core


def run_server():
    server = uvicorn.server.Server()
    signal.signal(signal.SIGINT, lambda *_: sys.exit("ended by SIGINT"))
    asyncio.run(server.startup())
    try:
        while True:
            time.sleep(0.05)  # a signal that another thread takes does not end signal.pause()
    finally:
        asyncio.run(server.shutdown())


if __name__ == "__main__":  # python3 -m vllm.entrypoints.openai.api_server MODEL: sys.modules has no module of that name
    EngineArgs(sys.argv[1]).create_engine_config()
    core.start_engine("")
    run_server()

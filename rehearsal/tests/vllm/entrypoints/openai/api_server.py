import asyncio
import os
import signal
import socket
import sys
import time

import uvicorn.server
from vllm.engine.arg_utils import EngineArgs
from vllm.v1.engine import core


def shared_socket():
    """As vLLM makes its own."""
    port = socket.socket()
    port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    port.bind(("127.0.0.1", int(os.environ["FAKE_SERVER_PORT"])))
    return port


def run_server():
    server = uvicorn.server.Server()
    signal.signal(signal.SIGINT, lambda *_: sys.exit("ended by SIGINT"))
    asyncio.run(server.startup(sockets=[shared_socket()] if "FAKE_SERVER_PORT" in os.environ else None))
    try:
        while True:
            time.sleep(0.05)  # a signal that another thread takes does not end signal.pause()
    finally:
        asyncio.run(server.shutdown())


if __name__ == "__main__":  # python3 -m vllm.entrypoints.openai.api_server MODEL: sys.modules has no module of that name
    EngineArgs(sys.argv[1]).create_engine_config()
    core.start_engine("")
    run_server()

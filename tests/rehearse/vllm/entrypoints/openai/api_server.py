import asyncio
import signal
import sys

import uvicorn.server


def run_server():
    server = uvicorn.server.Server()
    signal.signal(signal.SIGINT, lambda *_: sys.exit("ended by SIGINT"))
    asyncio.run(server.startup())
    try:
        signal.pause()
    finally:
        asyncio.run(server.shutdown())

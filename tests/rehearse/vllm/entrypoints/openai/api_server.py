import asyncio
import signal
import sys

import uvicorn.server


def run_server():
    signal.signal(signal.SIGINT, lambda *_: sys.exit("ended by SIGINT"))
    asyncio.run(uvicorn.server.Server().startup())
    signal.pause()

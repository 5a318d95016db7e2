import asyncio
import signal
import sys
import time

import uvicorn.server


def run_server():
    server = uvicorn.server.Server()
    signal.signal(signal.SIGINT, lambda *_: sys.exit("ended by SIGINT"))
    asyncio.run(server.startup())
    try:
        while True:
            time.sleep(0.05)  # a signal that another thread takes does not end signal.pause()
    finally:
        asyncio.run(server.shutdown())

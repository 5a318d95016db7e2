"""Replaces uvicorn, with the answers of vLLM's API; a request takes memory of the tests' torch for a moment."""

import errno
import http.server
import json
import logging
import os
import signal
import sys
import threading
import types

_LOCK = threading.Lock()
_OVER = threading.Event()


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self._answer({"data": [{"id": "m"}]})

    def do_POST(self):
        if os.environ.get("FAKE_SERVER_HANGS"):
            os.kill(os.getpid(), signal.SIGINT)
            self.rfile.read()  # until the client hangs up
            _OVER.set()
            return
        if os.environ.get("FAKE_SERVER_FAILS"):
            self.send_error(500)
            return
        if os.environ.get("FAKE_SERVER_PORT"):
            sys.stderr.write(f"rank {os.environ['RANK']} answers\n")
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        torch = sys.modules["torch"]
        with _LOCK:
            torch.release(torch.allocate(len(request["prompt"]) << 10))
        self._answer({})

    def _answer(self, content):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_):
        pass


def _serve(listener=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler, bind_and_activate=listener is None)
    if listener is not None:
        server.socket.close()
        server.socket = listener
        server.server_activate()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return types.SimpleNamespace(sockets=[server.socket])


class Server:
    async def startup(self, sockets=None):
        if os.environ.get("FAKE_SERVER_BINDS_LATE"):
            logging.getLogger("uvicorn.error").error(OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE)))
            _OVER.wait()  # as SGLang waits for its warm-up
        self.servers = [_serve(listener) for listener in sockets or [None]]

    async def shutdown(self):
        """Waits for its connections."""
        if os.environ.get("FAKE_SERVER_HANGS"):
            _OVER.wait()

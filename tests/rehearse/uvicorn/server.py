"""Stands in for uvicorn, with the answers of vLLM's API; a request takes memory of the tests' torch for a moment."""

import http.server
import json
import sys
import threading
import types

_LOCK = threading.Lock()


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self._answer({"data": [{"id": "m"}]})

    def do_POST(self):
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


class Server:
    async def startup(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.servers = [types.SimpleNamespace(sockets=[server.socket])]

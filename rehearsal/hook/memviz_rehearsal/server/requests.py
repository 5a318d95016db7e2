"""Sends requests to a rehearsed inference server (vLLM, SGLang) that is ready, to reach the peak of serving, and ends
it. It first ends the recordings of the processes that hold the server's memory, because the server kills them soon
after it asks them to end.
"""

import json
import logging
import os
import signal
import socket
import sys
import threading
import time

from memviz_rehearsal.journal import SETTINGS, guarded
from memviz_rehearsal.process.methods import act_at_imports
from memviz_rehearsal.server.log import log_facts

END_SIGNAL = signal.SIGRTMIN + 7  # ends the recording of a process that holds GPU memory

_MOST_REQUESTS_AT_ONCE = 1024
_READY_SECONDS = 300
_REQUEST_SECONDS = 600
_END_SECONDS = 90
_UNBOUND_SECONDS = 5  # after which a server that has no port has had the time to end
_NEW_TOKENS = 8
# The modules with the HTTP servers.
_SERVERS = {
    "vllm.entrypoints.openai.api_server": "vLLM",
    "vllm.entrypoints.launchers.api_server.entry": "vLLM",  # 0.33
    "sglang.srt.entrypoints.http_server": "SGLang",
}


class Requests:
    """Those of one process to its own server, and the socket on which it alone listens."""

    def __init__(self):
        self._connections = set()
        self._has_hung_up = False
        self._own_socket = None

    def install(self):
        act_at_imports([("uvicorn.server", self._watch_http)])

    def _watch_http(self, module):
        original = module.Server.startup

        async def startup(server, *arguments, **named):
            guarded(_watch_binding)
            guarded(self._listen_alone, named.get("sockets"))
            await original(server, *arguments, **named)
            port = guarded(self._port_of, server)
            if port:
                threading.Thread(target=guarded, args=(self._serve_and_end, port), daemon=True).start()

        module.Server.startup = startup
        end = getattr(module.Server, "shutdown", None)

        async def shutdown(server, *arguments, **named):
            guarded(self._hang_up)
            return await end(server, *arguments, **named)

        if end is not None:
            module.Server.shutdown = shutdown

    def _listen_alone(self, sockets):
        """Ranks of vLLM that meet share a port (SO_REUSEPORT), and would get one another's requests."""
        if SETTINGS["ranks"] and isinstance(sockets, list) and server_of_process() is not None:
            self._own_socket = socket.create_server(("127.0.0.1", 0))
            sockets.append(self._own_socket)

    def _hang_up(self):
        """An interrupted server waits for its connections, but its engine no longer answers. SGLang then kills all of
        its processes, including the one that unlinks their semaphores."""
        self._has_hung_up = True
        for connection in list(self._connections):
            try:
                connection.sock.shutdown(socket.SHUT_RDWR)
            except (AttributeError, OSError):  # its thread has not opened it yet, or has closed it meanwhile
                pass
        if server_of_process() is not None:
            _end_recordings()

    def _port_of(self, server):
        """Returns the port of an inference server; None for any other program's HTTP server."""
        if server_of_process() is None:
            return None
        if self._own_socket is not None:
            return self._own_socket.getsockname()[1]
        sockets = (socket for one in getattr(server, "servers", ()) for socket in one.sockets)
        return next((socket.getsockname()[1] for socket in sockets if socket.family.name.startswith("AF_INET")), None)

    def _serve_and_end(self, port):
        if not _facts().get("name"):
            return
        try:
            _wait_until_ready(port)
            log_facts(ready=True)
            self._serve(port)
        finally:
            if not self._has_hung_up:
                _end_recordings()
                log_facts(ended=True)
                os.kill(os.getpid(), signal.SIGINT)

    def _serve(self, port):
        facts = _facts()
        length = int(facts.get("request_tokens") or 2048) - _NEW_TOKENS
        if facts["name"] == "SGLang":
            length -= 1  # it refuses requests that fill the context
        length = max(1, length)
        wanted = SETTINGS["requests"]
        at_once = 1 if facts.get("one_by_one") else max(1, int(facts.get("requests_at_once") or 1))
        count = at_once if wanted is None else wanted
        if count > 0:
            path, body = _request(port, facts["name"], [1] * length)
            most = 1 if facts.get("one_by_one") else _MOST_REQUESTS_AT_ONCE
            log_facts(requests=self._post_all(port, path, body, count, most), tokens_of_request=length + _NEW_TOKENS)

    def _post_all(self, port, path, body, count, most):
        """Returns the number of answers. Threads of the standard library's pool would delay the end of the server."""
        body = json.dumps(body).encode()
        left = iter(range(count))
        answered = []

        def post():
            for _ in left:
                if guarded(self._post, port, path, body):
                    answered.append(1)
                if self._has_hung_up:
                    return

        threads = [threading.Thread(target=post, daemon=True) for _ in range(min(count, most))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(answered)

    def _post(self, port, path, body):
        import http.client  # takes as long as the rest of the hook, and only servers need it

        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_REQUEST_SECONDS)
        self._connections.add(connection)
        try:
            connection.connect()
            if self._has_hung_up:  # maybe before there was a socket to shut down
                return False
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            status = connection.getresponse().status
        except OSError:
            if self._has_hung_up:
                return False
            raise
        finally:
            self._connections.discard(connection)
            connection.close()
        if status != 200:
            raise RuntimeError(f"a request ended with HTTP status {status}")
        return True


def _watch_binding():
    """SGLang binds its port after loading its model. If the port is in use, its warm-up talks to the program that
    has the port, and waits until the shell kills it: no signal interrupts that."""
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: guarded(_on_uvicorn_error, record.msg)
    logging.getLogger("uvicorn.error").addHandler(handler)


def _on_uvicorn_error(error):
    if isinstance(error, OSError) and server_of_process() is not None:
        log_facts(error=f"OSError: {error}")
        threading.Thread(target=guarded, args=(_end_unbound,), daemon=True).start()


def _end_unbound():
    time.sleep(_UNBOUND_SECONDS)
    _end_recordings()
    import multiprocessing

    for child in multiprocessing.active_children():
        child.kill()
    os._exit(1)  # which ends the recording first


def server_of_process():
    """Returns the name of the inference server whose HTTP module this process has imported, or runs as the program."""
    program = getattr(getattr(sys.modules.get("__main__"), "__spec__", None), "name", None)  # of python -m
    return next((name for module, name in _SERVERS.items() if module == program or module in sys.modules), None)


def _facts():
    """Returns everything that all processes have logged about the server so far, and who holds GPU memory."""
    facts = {"holders": set(), "ends": set()}
    with open(SETTINGS["log"], encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            if event["event"] == "server":
                facts.update(event)
            elif event["event"] == "holder":
                facts["holders"].add(event["pid"])
            elif event["event"] == "end":
                facts["ends"].add(event["pid"])
    return facts


def _wait_until_ready(port):
    """Raises the last error that the server answered with until then."""
    import urllib.request

    end = time.monotonic() + _READY_SECONDS
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=30):
                return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


def _request(port, name, prompt):
    if name == "SGLang":
        return "/generate", {"input_ids": prompt, "sampling_params": {"max_new_tokens": _NEW_TOKENS, "ignore_eos": True}}
    import urllib.request

    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=60) as answer:
        model = json.load(answer)["data"][0]["id"]
    return "/v1/completions", {"model": model, "prompt": prompt, "max_tokens": _NEW_TOKENS, "ignore_eos": True}


def _end_recordings():
    holders = _facts()["holders"] - {os.getpid()}
    for pid in holders:
        try:
            os.kill(pid, END_SIGNAL)
        except ProcessLookupError:
            pass
    end = time.monotonic() + _END_SECONDS
    while time.monotonic() < end and any(map(_runs, holders - _facts()["ends"])):
        time.sleep(0.1)


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False

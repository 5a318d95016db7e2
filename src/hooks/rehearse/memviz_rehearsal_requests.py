"""Sends requests to a rehearsed inference server (vLLM, SGLang) that is ready, so that the peak of serving is seen, and
ends it: first the recordings of the processes that hold its memory, which it kills soon after it asks them to end.
"""

import json
import os
import signal
import sys
import threading
import time
import urllib.request

from memviz_recording import waiting

END_SIGNAL = signal.SIGRTMIN + 7  # ends the recording of a process that holds GPU memory

_MOST_REQUESTS_AT_ONCE = 1024
_READY_SECONDS = 900
_REQUEST_SECONDS = 600
_END_SECONDS = 90
_NEW_TOKENS = 8
_SERVERS = ("vllm.entrypoints.openai.api_server", "sglang.srt.entrypoints.http_server")


class _State:
    log = None
    guarded = None
    settings = {}


def install(settings, log, guarded):
    _State.settings, _State.log, _State.guarded = settings, log, guarded
    waiting.when_imported("uvicorn.server", lambda module: guarded(_watch_http, module))


def _watch_http(module):
    original = module.Server.startup

    async def startup(self, *arguments, **named):
        await original(self, *arguments, **named)
        port = _State.guarded(_port_of, self)
        if port:
            threading.Thread(target=_State.guarded, args=(_serve_and_end, port), daemon=True).start()

    module.Server.startup = startup


def _port_of(server):
    """Returns the port of an inference server; None of any other program's HTTP server."""
    if not any(name in sys.modules for name in _SERVERS):
        return None
    sockets = (socket for one in getattr(server, "servers", ()) for socket in one.sockets)
    return next((socket.getsockname()[1] for socket in sockets if socket.family.name.startswith("AF_INET")), None)


def _serve_and_end(port):
    if not _facts().get("name") or not _is_ready(port):
        return
    _State.log(ready=True)
    try:
        _serve(port)
    finally:
        _end_recordings()
        _State.log(ended=True)
        os.kill(os.getpid(), signal.SIGINT)


def _facts():
    """What all processes have logged of the server so far, and who holds GPU memory."""
    facts = {"holders": set(), "ends": set()}
    with open(_State.settings["log"], encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            if event["event"] == "server":
                facts.update(event)
            elif event["event"] == "holder":
                facts["holders"].add(event["pid"])
            elif event["event"] == "end":
                facts["ends"].add(event["pid"])
    return facts


def _is_ready(port):
    end = time.monotonic() + _READY_SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=30) as answer:
                if answer.status == 200:
                    return True
        except OSError:
            time.sleep(0.5)
    return False


def _serve(port):
    facts = _facts()
    length = max(1, int(facts.get("request_tokens") or 2048) - _NEW_TOKENS)
    wanted = _State.settings["requests"]
    count = max(1, int(facts.get("requests_at_once") or 1)) if wanted is None else wanted
    if count > 0:
        address, body = _request(port, facts["name"], [1] * length)
        _State.log(requests=_post_all(address, body, count), tokens_of_request=length + _NEW_TOKENS)


def _request(port, name, prompt):
    root = f"http://127.0.0.1:{port}"
    if name == "SGLang":
        return f"{root}/generate", {
            "input_ids": prompt,
            "sampling_params": {"max_new_tokens": _NEW_TOKENS, "ignore_eos": True},
        }
    with urllib.request.urlopen(f"{root}/v1/models", timeout=60) as answer:
        model = json.load(answer)["data"][0]["id"]
    return f"{root}/v1/completions", {"model": model, "prompt": prompt, "max_tokens": _NEW_TOKENS, "ignore_eos": True}


def _post_all(address, body, count):
    """Returns how many were answered. Threads of the standard library's pool would hold up the end of the server."""
    body = json.dumps(body).encode()
    left = iter(range(count))
    answered = []

    def post():
        for _ in left:
            if _post(address, body):
                answered.append(1)

    threads = [threading.Thread(target=post, daemon=True) for _ in range(min(count, _MOST_REQUESTS_AT_ONCE))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(answered)


def _post(address, body):
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=_REQUEST_SECONDS) as answer:
            return answer.status == 200
    except OSError as error:
        _State.log(request_error=str(error)[:300])
        return False


def _end_recordings():
    holders = _facts()["holders"] - {os.getpid()}
    for pid in holders:
        try:
            os.kill(pid, END_SIGNAL)
        except ProcessLookupError:
            pass
    end = time.monotonic() + _END_SECONDS
    while time.monotonic() < end and any(os.path.exists(f"/proc/{pid}") for pid in holders - _facts()["ends"]):
        time.sleep(0.1)

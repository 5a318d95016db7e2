"""An interrupted server hangs up every connection, in whatever state that is, and then ends the recordings.

usage: hang_up_test.py MEMVIZ SOURCE
"""

import http.client
import pathlib
import socket
import sys

SOURCE = pathlib.Path(sys.argv[2])
sys.path[:0] = [str(SOURCE / "python/memviz_torch"), str(SOURCE / "rehearsal/hook")]
sys.modules["memviz_recording"] = __import__("recording")
sys.modules["memviz_recording.waiting"] = __import__("recording.waiting").waiting

from memviz_rehearsal.server import requests  # noqa: E402


def connection_to(listener):
    connection = http.client.HTTPConnection(*listener.getsockname())
    connection.connect()
    return connection


def main():
    ended = []
    requests.server_of_process = lambda: "vLLM"
    requests._end_recordings = lambda: ended.append(1)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        unopened = http.client.HTTPConnection(*listener.getsockname())
        closed = connection_to(listener)
        closed.sock.close()
        opened = connection_to(listener)
        own = requests.Requests()
        own._connections = [unopened, closed, opened]
        own._hang_up()
        if opened.sock.recv(1) or not ended:
            sys.exit(f"an open connection was left, or the recordings did not end: {ended}")


main()

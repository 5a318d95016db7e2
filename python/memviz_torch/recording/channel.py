"""The channel of a prepared process: a Unix socket, through which `memviz attach` asks it for a snapshot.

The socket is in a folder that only this user can enter: memviz in XDG_RUNTIME_DIR, else /tmp/memviz-UID. Its name has
the number of the process's PID namespace and the process id. One thread sleeps in accept(); it is not one of
threading's, so that the program does not find it in its lists.
"""

from __future__ import annotations

import _thread
import os
import socket
import stat
import struct
import threading
import time
from typing import Any, Iterator, Optional

from . import answers, at_end, requested

_WAITING_CONNECTIONS = 16


def shared(torch: Any) -> Channel:
    """Returns the channel of this process. It is kept in torch, so that several copies of this package share it."""
    found: Channel = torch.__dict__.setdefault("_memviz_channel", Channel())
    return found


class Channel:
    """Open while it has a user. If it cannot be opened, the program runs on without it, and nothing is printed."""

    def __init__(self) -> None:
        self._users: list[object] = []
        self._listener: Optional[socket.socket] = None
        self._connection: Optional[socket.socket] = None
        self._path: Optional[str] = None
        self._is_registered = False
        self._at_end = at_end.AtEnd(self._end)
        self._lock = threading.Lock()

    def join(self, user: object) -> None:
        if os.environ.get("MEMVIZ_RECORD_CHANNEL", "1") in ("", "0"):
            return
        with self._lock:
            self._users.append(user)
            if self._listener is None:
                try:
                    self._open()
                except Exception:
                    self._close()  # no thread could be started

    def leave(self, user: object) -> None:
        with self._lock:
            if user in self._users:
                self._users.remove(user)
                if not self._users:
                    self._close()

    def _open(self) -> None:
        for folder in _folders():
            try:
                self._listener, self._path = _listening(folder)
            except (OSError, ValueError):
                continue
            self._clean_up_at_end()
            _thread.start_new_thread(self._serve, (self._listener,))
            return

    def _clean_up_at_end(self) -> None:
        if not self._is_registered:
            self._is_registered = True
            os.register_at_fork(after_in_child=self._forget)
        self._at_end.register()

    def _serve(self, listener: socket.socket) -> None:
        while self._listener is listener:
            try:
                connection = listener.accept()[0]
            except OSError:  # closed, or no more descriptors
                time.sleep(1)
                continue
            with connection:
                self._connection = connection
                try:
                    if _is_allowed(connection):
                        answers.serve(connection)
                except Exception:
                    pass  # the other side sees that the answer ends
                finally:
                    self._connection = None

    def _close(self) -> None:
        listener, self._listener = self._listener, None
        path, self._path = self._path, None
        if path is not None:
            _remove(path)
        if listener is not None:
            _let_go(listener)

    def _end(self) -> None:
        """Leaves the thread where it is: it sleeps, or ends with the process."""
        path, self._path = self._path, None
        if path is not None:
            _remove(path)
            requested.wait_at_exit()

    def _forget(self) -> None:
        """In a child after fork(): the thread is not there, and the socket is the parent's."""
        self._lock = threading.Lock()
        requested.forget()
        inherited = (self._listener, self._connection)
        self._users = []
        self._listener = self._connection = self._path = None
        for one in inherited:
            if one is not None:
                os.close(one.detach())


def _folders() -> Iterator[str]:
    """Returns the folders of channels, the preferred one first."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        yield os.path.join(runtime, "memviz")
    yield f"/tmp/memviz-{os.geteuid()}"


def _listening(folder: str) -> tuple[socket.socket, str]:
    """Returns a socket that listens, and its path, which nothing has before it listens. Raises OSError."""
    path = os.path.join(folder, f"{os.stat('/proc/self/ns/pid').st_ino}-{os.getpid()}")
    unnamed = os.path.join(folder, f".{os.getpid()}-{threading.get_ident()}")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.settimeout(None)  # whatever socket.setdefaulttimeout() says
        for is_last in (False, True):
            _make_private(folder)
            try:
                listener.bind(unnamed)
                break
            except FileNotFoundError:  # a process that ended has removed the folder
                if is_last:
                    raise
        listener.listen(_WAITING_CONNECTIONS)
        os.rename(unnamed, path)
    except BaseException:
        listener.close()
        raise
    _sweep(folder, path)
    return listener, path


def _make_private(folder: str) -> None:
    """Raises OSError if others could enter it."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
        raise PermissionError(f"{folder} is not this user's alone")


def _sweep(folder: str, own: str) -> None:
    """Removes the sockets of processes that were killed."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if path == own or name.startswith("."):
            continue
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
            other.setblocking(False)
            try:
                other.connect(path)
            except ConnectionRefusedError:
                _unlink(path)
            except OSError:
                pass  # one that is busy


def _is_allowed(connection: socket.socket) -> bool:
    """Whether this user, or root, has connected."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    user = struct.unpack("3i", credentials)[1]
    return user in (os.geteuid(), 0)


def _remove(path: str) -> None:
    _unlink(path)
    try:
        os.rmdir(os.path.dirname(path))
    except OSError:
        pass  # others are in it


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _let_go(listener: socket.socket) -> None:
    """Wakes the thread, which ends."""
    try:
        listener.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    listener.close()

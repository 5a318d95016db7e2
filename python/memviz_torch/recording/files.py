"""Where a snapshot is written: names that distinguish processes, and files that are complete or absent and never
replaced."""

from __future__ import annotations

import errno
import os
import tempfile
import threading
import time
from typing import BinaryIO, Callable, Optional, TypeVar

from .ranks import rank

_Name = TypeVar("_Name")

DEFAULT_NAME = "memviz-{rank}-{time}.pickle"
_EXAMPLES = {"rank": 0, "time": "20261123-031502", "pid": 4711, "host": "gpu7"}  # for each field of a name


def check_template(template: str) -> None:
    """Raises ValueError if a name has an unknown field."""
    try:
        template.format(**_EXAMPLES)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        known = ", ".join("{" + field + "}" for field in _EXAMPLES)
        raise ValueError(f"path={template!r}: the fields of a name are {known} ({error!r})") from None


def path_of(template: str) -> str:
    """Returns the name of a file of this process, at this moment; in a folder, the default name."""
    path = _filled_in(template)
    is_folder = path.endswith(os.sep) or os.path.isdir(path)
    return os.path.join(path, _filled_in(DEFAULT_NAME)) if is_folder else path


def _filled_in(template: str) -> str:
    return template.format(
        rank=rank() or 0, time=time.strftime("%Y%m%d-%H%M%S"), pid=os.getpid(), host=os.uname().nodename
    )


def check_place(template: str) -> None:
    """Raises OSError if no file of that name can be written, as far as that is known without writing one."""
    path = os.path.abspath(path_of(template))
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):  # it will be made
        folder = os.path.dirname(folder)
    try:
        os.lstat(os.path.join(folder, os.path.basename(path)))  # not where the name is too long, or that is not a folder
    except FileNotFoundError:
        pass
    if not os.access(os.path.join(folder, os.curdir), os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)


def write_new(path: str, write: Callable[[BinaryIO], object]) -> str:
    """Calls ``write(file)`` with a file next to ``path``, then gives it that name, or the next that is free:
    mem-2.pickle. Makes the folder. Returns the path; raises OSError, and leaves nothing then."""
    os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
    return _written(path, write, _named_anew)


def write_where_possible(path: str, content: bytes) -> tuple[Optional[str], str]:
    """Writes like write_new(), or in the temporary folder if that folder accepts no file. Returns the path, None if
    neither does, and the error, if any."""
    failures: list[str] = []
    for given in (os.path.dirname(path), None):
        what = "the temporary folder"
        try:
            # Called only when needed: gettempdir() writes a file, and raises on a full disk.
            folder = tempfile.gettempdir() if given is None else given
            what = folder or os.curdir
            place = os.path.join(folder, os.path.basename(path))
            return write_new(place, lambda file: file.write(content)), " and ".join(failures)
        except OSError as error:
            failures.append(f"no file can be written to {what} ({error.strerror or error})")
    return None, " and ".join(failures)


def replace(path: str, write: Callable[[BinaryIO], object]) -> None:
    """Does the same for a file that may exist and is replaced; follows a link."""
    try:
        _written(os.path.realpath(path), write, os.replace)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None  # not the name of the file next to it


def _written(path: str, write: Callable[[BinaryIO], object], give_name: Callable[[str, str], _Name]) -> _Name:
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name[:50]}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with open(temporary, "xb") as file:
            write(file)
        return give_name(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def _named_anew(temporary: str, path: str) -> str:
    stem, ending = os.path.splitext(path)
    for number in range(1, 10000):
        free = path if number == 1 else f"{stem}-{number}{ending}"
        try:
            _link(temporary, free)
            return free
        except FileExistsError:
            continue
    raise FileExistsError(f"{path}, and 9999 like it")


def _link(temporary: str, path: str) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: the name is taken first, and then replaced by the whole file
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        os.replace(temporary, path)

"""Where a snapshot goes: names that tell processes apart, and files that are whole or not there and never replaced."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import BinaryIO, Callable, Optional, TypeVar

_Name = TypeVar("_Name")

_RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
_EXAMPLES = {"rank": 0, "time": "20261123-031502", "pid": 4711, "host": "gpu7"}  # for each field of a name


def rank() -> Optional[int]:
    """Of this process in a distributed job; None where nothing says it."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return int(distributed.get_rank())
    except Exception:
        pass  # what the environment says, then
    for name in _RANK_VARIABLES:
        value = os.environ.get(name, "")
        # A bound for what becomes a part of names.
        if value.isascii() and value.isdigit() and len(value) < 10:
            return int(value)
    return None


def check_template(template: str) -> None:
    """Raises ValueError where a name has a field that is none."""
    try:
        template.format(**_EXAMPLES)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        known = ", ".join("{" + field + "}" for field in _EXAMPLES)
        raise ValueError(f"path={template!r}: the fields of a name are {known} ({error!r})") from None


def path_of(template: str) -> str:
    """The name of a file of this process, at this moment."""
    return template.format(
        rank=rank() or 0, time=time.strftime("%Y%m%d-%H%M%S"), pid=os.getpid(), host=os.uname().nodename
    )


def write_new(path: str, write: Callable[[BinaryIO], object]) -> str:
    """Calls ``write(file)`` with a file beside ``path``, then gives it that name, or the next that is free:
    mem-2.pickle. Makes the folder. Returns the path; raises OSError, and leaves nothing then."""
    os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
    return _written(path, write, _named_anew)


def replace(path: str, write: Callable[[BinaryIO], object]) -> None:
    """The same for a file that may be there already, and is replaced; behind a link, where there is one."""
    _written(os.path.realpath(path), write, os.replace)


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

"""Where a snapshot goes: names that tell processes apart, and files that are whole or not there and never replaced."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import BinaryIO, Callable, Optional

_RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
_FIELDS = ("rank", "time", "pid", "host")


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
        if value.isdigit():
            return int(value)
    return None


def check_template(template: str) -> None:
    """Raises ValueError where a name has a field that is none."""
    try:
        template.format(**dict.fromkeys(_FIELDS, ""))
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        known = ", ".join("{" + field + "}" for field in _FIELDS)
        raise ValueError(f"path={template!r}: the fields of a name are {known} ({error!r})") from None


def path_of(template: str) -> str:
    """The name of a file of this process, at this moment."""
    return template.format(
        rank=rank() or 0, time=time.strftime("%Y%m%d-%H%M%S"), pid=os.getpid(), host=os.uname().nodename
    )


def write_new(path: str, write: Callable[[BinaryIO], object]) -> str:
    """Calls ``write(file)`` with a file beside ``path``, then gives it that name, or the next that is free:
    mem-2.pickle. Makes the folder. Returns the path; raises OSError, and leaves nothing then."""
    folder, name = os.path.split(path)
    folder = folder or os.curdir
    os.makedirs(folder, exist_ok=True)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with open(temporary, "xb") as file:
            write(file)
        return _renamed(temporary, os.path.join(folder, name) if os.path.dirname(path) else name)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def _renamed(temporary: str, path: str) -> str:
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

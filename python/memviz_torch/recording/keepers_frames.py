"""The frames of running threads and of kept tracebacks, and their local variables."""

from __future__ import annotations

import os
import sys
import threading
import types
from typing import Any, Iterator, NamedTuple, Optional

from .keepers_types import entry, text_of

_OWN_FOLDER = os.path.dirname(__file__) + os.sep
_OWN_HOOK = os.sep + "memviz_rehearsal" + os.sep
_ATTACHED = "memviz_attached"  # the name of the module that a debugger starts (src/attach)
_MOST_FRAMES = 1000  # of a thread
_OPTIMIZED = 0x1  # CO_OPTIMIZED: a function, whose variables are not in a dict


def _namespace_of_functions() -> type:
    return type(sys._getframe().f_locals)


_NAMESPACE_OF_FUNCTIONS = _namespace_of_functions()  # a proxy from Python 3.13 on, a dict before


class RunningFrame(NamedTuple):
    """A frame that runs now. The variables of a module's own code are its globals, so it has no locals."""

    name: str
    file: str
    line: int
    locals: dict[str, Any]
    code: types.CodeType
    instruction: int  # the offset of the one that runs; negative before the first
    namespace: dict[str, Any]  # its globals
    is_module: bool


def running() -> tuple[list[list[RunningFrame]], set[int], list[dict[str, Any]]]:
    """Returns the frames of each thread, innermost first and the main thread first; the ids of all running frames,
    memviz's included; and the globals of these frames."""
    main = threading.main_thread().ident
    chains = sys._current_frames()
    # Not the frame of this function: its own variables would then keep it, in a cycle with all that they hold.
    chains[threading.get_ident()] = sys._getframe(1)
    threads = []
    ids: set[int] = set()
    namespaces: dict[int, dict[str, Any]] = {}
    for ident in sorted(chains, key=lambda ident: ident != main):
        frames = list(chain(chains[ident]))
        ids.update(map(id, frames))
        namespaces.update((id(frame.f_globals), frame.f_globals) for frame in frames)
        own = [frame for frame in frames if not is_own(frame)]
        if len(own) > _MOST_FRAMES:
            own = own[: _MOST_FRAMES // 2] + own[-_MOST_FRAMES // 2 :]
        threads.append([_read(frame) for frame in own])
    return threads, ids, list(namespaces.values())


def chain(frame: Optional[types.FrameType]) -> Iterator[types.FrameType]:
    """Returns a frame and those that called it."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def is_own(frame: types.FrameType) -> bool:
    """Whether it is memviz's."""
    file = text_of(frame.f_code.co_filename)
    if file.startswith(_OWN_FOLDER) or _OWN_HOOK in file:
        return True
    return file == "<string>" and text_of(entry(frame.f_globals, "__name__")) == _ATTACHED


def _read(frame: types.FrameType) -> RunningFrame:
    name, file = _name_and_file(frame.f_code)
    is_module = not frame.f_code.co_flags & _OPTIMIZED and frame.f_locals is frame.f_globals
    line, instruction = frame.f_lineno or 0, frame.f_lasti
    return RunningFrame(name, file, line, locals_of(frame), frame.f_code, instruction, frame.f_globals, is_module)


def _name_and_file(code: types.CodeType) -> tuple[str, str]:
    return text_of(code.co_name), text_of(code.co_filename)


def locals_of(frame: types.FrameType) -> dict[str, Any]:
    """Returns a copy of its local variables; none for a module's own code, and for a namespace that is not a dict."""
    namespace = frame.f_locals
    if namespace is frame.f_globals:
        return {}
    if type(namespace) is not dict:
        return dict(namespace) if type(namespace) is _NAMESPACE_OF_FUNCTIONS else {}
    copy = namespace.copy()
    # Before Python 3.13 the frame keeps this dict, and with it what the variables hold now, after they are rebound.
    # It is emptied where no one else has it: this variable, the frame, and the argument refer to it.
    if frame.f_code.co_flags & _OPTIMIZED and not _is_traced(frame) and sys.getrefcount(namespace) <= 3:
        namespace.clear()
    return copy


def _is_traced(frame: types.FrameType) -> bool:
    """Whether a debugger or profiler may write the dict back into the variables."""
    hooks = (getattr(threading, "_trace_hook", None), getattr(threading, "_profile_hook", None))
    return frame.f_trace is not None or any(hook is not None for hook in (*hooks, sys.gettrace(), sys.getprofile()))


def frame_of(instance: Any) -> Optional[types.FrameType]:
    """Returns the frame of a traceback, generator or coroutine; None once it has ended."""
    kind = type(instance)
    if kind is types.FrameType:
        return instance  # type: ignore[no-any-return]
    if kind is types.TracebackType:
        return instance.tb_frame  # type: ignore[no-any-return]
    for one, name in ((types.GeneratorType, "gi_frame"), (types.CoroutineType, "cr_frame")):
        if kind is one:
            return getattr(instance, name)  # type: ignore[no-any-return]
    return instance.ag_frame if kind is types.AsyncGeneratorType else None


def place_of(instance: Any) -> tuple[str, str, int]:
    """Returns the function, the file and the line of a traceback, frame, generator, coroutine or function."""
    if type(instance) is types.FunctionType:
        return (*_name_and_file(instance.__code__), 0)
    frame = frame_of(instance)
    if frame is None:
        return "", "", 0
    line = instance.tb_lineno if type(instance) is types.TracebackType else frame.f_lineno
    return (*_name_and_file(frame.f_code), line or 0)

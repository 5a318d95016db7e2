"""The native program: where it is, and how snapshots are passed to it and answers returned."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Any, BinaryIO, Callable, Iterator, Mapping, Optional, Sequence, Union

from memviz_torch import _notebook

DISTRIBUTION = "memviz-torch"
PROGRAM = "memviz"
# The folder of a process's open files by number; a Linux container may have only the first.
_DESCRIPTORS = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"

Snapshot = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, "dict[str, Any]", "list[Any]"]
Option = Union[None, bool, int, float, str, "os.PathLike[str]", "Sequence[str]"]


class Error(Exception):
    """An error that memviz reported, in its own words."""


class UsageError(Error, ValueError):
    """An option has a value that memviz does not accept."""


class ProgramNotFound(Error):
    """The native program is not where this package looks for it."""


class SnapshotWarning(UserWarning):
    """A warning of memviz, for example about events that a full ring buffer dropped."""


def program() -> str:
    """Returns the path of the native program.

    It is the one that ``MEMVIZ_PROGRAM`` names, else the script that was installed with this package, else ``memviz``
    on the ``PATH``. Raises ProgramNotFound.
    """
    given = os.environ.get("MEMVIZ_PROGRAM")
    if given:
        if _is_program(given):
            return given
        raise ProgramNotFound(f"MEMVIZ_PROGRAM is {given}, which is not a program that can be run")
    tried = list(dict.fromkeys(_places()))
    for place in tried:
        if _is_program(place):
            return place
    on_path = shutil.which(PROGRAM)
    if on_path:
        return on_path
    raise ProgramNotFound(
        f"the program memviz is not there: looked at {', '.join(tried)} and on the PATH. "
        f"Install {DISTRIBUTION} again, or name the program in MEMVIZ_PROGRAM"
    )


def version() -> str:
    """Returns the version of this package; of the program, where the package is not installed."""
    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return subprocess.run([program(), "--version"], capture_output=True, text=True, check=True).stdout.split()[1]


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _places() -> Iterator[str]:
    """Returns where an installer puts the scripts of this package: as it has recorded, next to it, in its schemes'
    folders."""
    package = pathlib.Path(__file__).resolve().parent
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.distribution(DISTRIBUTION).files or ():
            # If this package was imported from a source tree, the record belongs to another copy.
            if file.name == PROGRAM and file.parent.name in ("bin", "Scripts"):
                yield os.path.normpath(str(file.locate()))
    yield str(package.parent / "bin" / PROGRAM)  # pip install --target
    yield os.path.join(sysconfig.get_path("scripts"), PROGRAM)
    user = sysconfig.get_path("scripts", f"{os.name}_user")
    if user:
        yield os.path.join(user, PROGRAM)


@dataclass(frozen=True)
class Answer:
    """The result of one run of the program."""

    text: str
    files: "dict[str, str]"
    warnings: "tuple[str, ...]"
    exceeded: bool


def words_of(options: "Mapping[str, Option]") -> "list[str]":
    """Returns keyword arguments as the program's options: ``max_size="1M"`` is ``--max-size=1M``; None and False
    omit one."""
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, (str, Real, os.PathLike)):
            words.append(f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
        elif name == "source" and isinstance(value, (list, tuple)):
            words += [f"{option}={os.fspath(folder)}" for folder in value]
        elif isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
            words.append(f"{option}={','.join(value)}")
        else:
            raise TypeError(f"{name} must be a text or a number, not {type(value).__name__}")
    return words


def ask(
    command: str,
    snapshots: "Mapping[str, Snapshot]",
    options: "Mapping[str, Option]",
    outputs: "Sequence[str]" = (),
) -> Answer:
    """Runs ``memviz COMMAND SNAPSHOT...``.

    ``snapshots`` has a name for each snapshot that is not a file. Outputs of the options in ``outputs`` come through
    pipes and are in ``files``; standard output is in ``text``. Raises Error.
    """
    words = [program(), command, *words_of(options)]
    with contextlib.ExitStack() as stack:
        of_notebook = _sources(stack, snapshots, options)
        words += words_of({"source": of_notebook})
        pipes = Pipes(stack)
        for output in outputs:
            words.append(f"--{output}={pipes.reading(output)}")
        words.append("--")
        words += [pipes.operand(name, snapshot) for name, snapshot in snapshots.items()]
        code, text, messages = pipes.run(words)
        files = pipes.finish()
    if of_notebook:  # these were not asked for
        messages = "\n".join(line for line in messages.splitlines() if ": --source" not in line)
    return _answer(code, text, messages, files)


def _sources(
    stack: contextlib.ExitStack, snapshots: "Mapping[str, Snapshot]", options: "Mapping[str, Option]"
) -> "list[str]":
    """Returns the folders of a notebook, for a command that shows lines and is not asked to hide them."""
    if "source" not in options or options["source"] is not None or options.get("redact"):
        return []
    return _notebook.source_folders(stack, all(isinstance(one, (str, os.PathLike)) for one in snapshots.values()))


def _answer(code: int, text: str, messages: str, files: "dict[str, str]") -> Answer:
    lines = [line[len(PROGRAM) + 2 :] if line.startswith(PROGRAM + ": ") else line for line in messages.splitlines()]
    said = "\n".join(line for line in lines if line)
    if code == 2:
        raise UsageError(said)
    if code not in (0, 3):
        raise Error(said or _ending(code))
    for line in lines:
        warnings.warn(line, SnapshotWarning, stacklevel=_level_of_caller())
    return Answer(text, files, tuple(lines), code == 3)


def _level_of_caller() -> int:
    """Returns the stack level for warnings.warn() at which the user's code called the package, where a snapshot is
    named."""
    frame = sys._getframe(1)
    level = 1
    while frame.f_back and str(frame.f_globals.get("__package__")).partition(".")[0] == __package__:
        frame = frame.f_back
        level += 1
    return level


def _ending(code: int) -> str:
    if code >= 0:
        return f"memviz ended with exit code {code}"
    try:
        return f"memviz was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"memviz was ended by signal {-code}"


class Pipes:
    """The pipes between this process and one run of the program, each with a thread at this end, so that neither
    side waits for the other whatever the sizes are."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self._theirs: "list[int]" = []
        self._threads: "list[threading.Thread]" = []
        self._read: "dict[str, bytes]" = {}
        self._failures: "list[BaseException]" = []
        self._folder: Optional[str] = None

    def reading(self, name: str) -> str:
        """Returns a file for the program to write."""
        ours, theirs = self._pipe(False)

        def read() -> None:
            with os.fdopen(ours, "rb") as file:
                self._read[name] = file.read()

        self._start_later(read, ours)
        return f"{_DESCRIPTORS}/{theirs}"

    def operand(self, name: str, snapshot: Snapshot) -> str:
        """Returns the name of the snapshot on the command line."""
        if isinstance(snapshot, (str, os.PathLike)):
            path = os.fspath(snapshot)
            if not isinstance(path, str):
                raise TypeError("the name of a snapshot must be a str")
            # "-" is a file here, and not standard input.
            return os.path.join(os.curdir, path) if path == "-" else path
        if not isinstance(snapshot, (bytes, bytearray, memoryview, dict, list)):
            raise TypeError(
                "a snapshot is the path of a file, the bytes of one, or what torch.cuda.memory._snapshot() returns; "
                f"not {type(snapshot).__name__}"
            )
        theirs = self._writing(snapshot)
        return self._named(name, theirs)

    def run(self, words: "list[str]") -> "tuple[int, str, str]":
        """Returns exit code, standard output and standard error."""
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=self._theirs,
            )
        except OSError as error:
            raise Error(f"{words[0]} cannot be started: {error.strerror}") from error
        self._close_theirs()
        with process:
            try:
                for thread in self._threads:
                    thread.start()
                text, messages = process.communicate()
            except BaseException:
                process.kill()
                raise
        return process.returncode, self._shown(text), self._shown(messages)

    def finish(self) -> "dict[str, str]":
        """Returns the contents that were read. Raises Error if a snapshot could not be written as a pickle."""
        for thread in self._threads:
            thread.join()
        if self._failures:
            failure = self._failures[0]
            raise Error(f"the snapshot cannot be pickled: {failure}") from failure
        return {name: self._shown(content) for name, content in self._read.items()}

    def _shown(self, content: bytes) -> str:
        """Returns them as text, in which a snapshot without a file appears only by its name."""
        text = content.decode("utf-8", "replace")
        return text.replace(self._folder + os.sep, "") if self._folder else text

    def _pipe(self, theirs_reads: bool) -> "tuple[int, int]":
        reads, writes = os.pipe()
        ours, theirs = (writes, reads) if theirs_reads else (reads, writes)
        self._theirs.append(theirs)
        self._stack.callback(self._close_theirs)
        return ours, theirs

    def _writing(self, snapshot: Any) -> int:
        ours, theirs = self._pipe(True)

        def write() -> None:
            # The program may end before it has read everything, if it rejects what it reads, and says why.
            with contextlib.suppress(BrokenPipeError), os.fdopen(ours, "wb") as file:
                try:
                    _write(file, snapshot)
                except BrokenPipeError:
                    raise
                except Exception as error:  # whatever an object's own pickling raises
                    self._failures.append(error)

        self._start_later(write, ours)
        return theirs

    def _start_later(self, work: Callable[[], None], ours: int) -> None:
        thread = threading.Thread(target=work, name="memviz", daemon=True)
        self._threads.append(thread)

        def close() -> None:
            if thread.ident is None:
                os.close(ours)

        self._stack.callback(close)

    def _named(self, name: str, descriptor: int) -> str:
        """Returns the pipe under a name that outputs can show."""
        pipe = f"{_DESCRIPTORS}/{descriptor}"
        try:
            if self._folder is None:
                self._folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="memviz-"))
            link = os.path.join(self._folder, name)
            os.symlink(pipe, link)
        except OSError:
            return pipe
        return link

    def _close_theirs(self) -> None:
        while self._theirs:
            os.close(self._theirs.pop())


def _write(file: BinaryIO, snapshot: Any) -> None:
    if isinstance(snapshot, (bytes, bytearray, memoryview)):
        file.write(snapshot)
    else:
        pickle.dump(snapshot, file, protocol=4)


def main() -> "Optional[int]":
    """Replaces this process with the program, passing on the words of the command line."""
    try:
        path = program()
    except ProgramNotFound as error:
        print(f"memviz: {error}", file=sys.stderr)
        return 1
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores for itself, and a program would inherit
        signal.signal(number, signal.SIG_DFL)
    os.execv(path, [path, *sys.argv[1:]])

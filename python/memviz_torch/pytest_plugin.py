"""GPU memory in pytest: limits and leaks of tests, a table of what each took, and a made-up GPU where there is none.

>>> @pytest.mark.limit_gpu_memory("12GiB")      # fails if more of a GPU is allocated at once during the test
>>> @pytest.mark.gpu_leaks("1MiB")              # fails if the test leaves more than this allocated

``pytest --gpu-memory`` records every test and prints a table; ``--rehearse h100`` runs the tests on a made-up GPU
(``memviz rehearse``), so that a machine without one can check them. Where a recorded test fails, its recording and a
picture of its peak stay in ``--gpu-memory-dir``. Fixtures are made before the recording begins: what they hold counts
for limits, and is no leak.
"""

from __future__ import annotations

import gc
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Generator, Iterator, Optional

import pytest

_STATUS = "MEMVIZ_PYTEST_STATUS"  # the file to which the pytest in a rehearsal writes its exit code; empty for a pytest below it
_STATUS_FILE = pytest.StashKey[str]()
_UNITS = {"B": 0, "KIB": 10, "K": 10, "MIB": 20, "M": 20, "GIB": 30, "G": 30}
_MOST_ROWS = 20
_MOST_CHARACTERS = 120  # of the name of a file that is kept
_MEASURED = "_memviz_measured"
_START = "import sys; del sys.path[0]; import pytest; sys.exit(pytest.console_main())"


@dataclass
class _Limits:
    most_bytes: Optional[int] = None
    most_left_bytes: Optional[int] = None


@dataclass
class _Measured:
    """A test between its call and its report. Without CUDA, or with an allocator without history, there is no file: nothing
    is known, so nothing fails."""

    limits: _Limits
    is_over: bool = False  # subtests have reports of their own before
    folder: Any = None
    file: Optional[str] = None


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("memviz", "GPU memory, by memviz")
    group.addoption("--gpu-memory", action="store_true", help="record each test, and print what it took of each GPU")
    group.addoption("--gpu-memory-dir", metavar="FOLDER", default="memviz-pytest",
                    help="where recordings and pictures of recorded tests that fail are kept (default: memviz-pytest)")  # fmt: skip
    group.addoption("--rehearse", dest="memviz_rehearse", metavar="GPU", help="run the tests on a made-up GPU, such as h100: see `memviz rehearse`")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "limit_gpu_memory(size): fail if more than this, such as '12GiB', of a GPU is allocated at once during the test")
    config.addinivalue_line("markers", "gpu_leaks(size='0B'): fail if the test leaves more than this of a GPU allocated")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> Optional[int]:
    """Runs the same command line again, on a made-up GPU, and returns its exit code."""
    gpu = config.getoption("memviz_rehearse")
    if os.environ.get(_STATUS):
        config.stash[_STATUS_FILE] = os.environ[_STATUS]
        os.environ[_STATUS] = ""  # workers of xdist, and a pytest that a test starts, write none
    if gpu is None or _STATUS in os.environ:
        return None
    from memviz_torch import program

    with tempfile.TemporaryDirectory(prefix="memviz-") as folder:
        status = os.path.join(folder, "status")
        options = ["--quiet", "--no-record", "--values=off", "--json", os.devnull, "--gpu", gpu]
        # `python -m pytest` has the working directory in sys.path, `pytest` has not.
        start = ["-m", "pytest"] if os.path.basename(sys.argv[0]) == "__main__.py" else ["-c", _START]
        pytest_again = [sys.executable, *start, *map(str, config.invocation_params.args)]
        done = subprocess.run([program(), "rehearse", *options, "--", *pytest_again], env={**os.environ, _STATUS: status})
        try:
            with open(status) as file:
                return int(file.read())
        except (OSError, ValueError):  # it did not come to an end
            return done.returncode or pytest.ExitCode.INTERNAL_ERROR


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if _STATUS_FILE in session.config.stash:
        with open(session.config.stash[_STATUS_FILE], "w") as file:
            file.write(str(int(session.exitstatus)))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    limits = _limits_of(item)
    if limits is None:
        yield
        return
    if find_spec("torch") is None or _is_history_on():
        setattr(item, _MEASURED, _Measured(limits, is_over=True))
        yield
        return
    from memviz_torch import record

    measured = _Measured(limits, folder=tempfile.TemporaryDirectory(prefix="memviz-"))
    setattr(item, _MEASURED, measured)
    with _without_warnings():  # that there was no GPU is said below
        recording = record(os.path.join(measured.folder.name, "test.pickle"), on_oom=False).start()
    yield
    gc.collect()
    with _without_warnings(), _without_keepers(limits.most_left_bytes is None):
        recording.stop()
    measured.file = recording.files[0] if recording.files else None
    measured.is_over = True


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    outcome = yield
    measured = getattr(item, _MEASURED, None)
    if measured is None or call.when == "setup" or not (measured.is_over or call.when == "teardown"):
        return
    delattr(item, _MEASURED)
    report = outcome.get_result()
    try:
        if call.when == "call" and not report.skipped:
            _report(item, report, measured)
    except Exception as error:  # which would end all other tests
        report.outcome = "failed"
        report.longrepr = f"memviz could not judge the test's memory: {type(error).__name__}: {error}"
    finally:
        if measured.folder is not None:
            measured.folder.cleanup()


def _report(item: pytest.Item, report: Any, measured: _Measured) -> None:
    if measured.file is None:
        report.user_properties.append(("memviz_unmeasured", item.nodeid))
        return
    # The traceback of a test that failed by itself keeps what its frames refer to.
    rows, problems = _judge(measured.limits, measured.file, not report.failed)
    report.user_properties += [("memviz", {"test": item.nodeid, **row}) for row in rows]
    if not problems and not report.failed:
        return
    text = "\n".join([*problems, _keep(item, measured.file)])
    if report.failed:
        report.sections.append(("GPU memory", text))
    else:
        # A test with xfail is expected to fail.
        report.outcome = "skipped" if hasattr(report, "wasxfail") else "failed"
        report.longrepr = text


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = [report for group in terminalreporter.stats.values() for report in group if getattr(report, "when", "") == "call"]
    rows = [value for report in reports for name, value in report.user_properties if name == "memviz"]
    unmeasured = sum(name == "memviz_unmeasured" for report in reports for name, _ in report.user_properties)
    if rows and terminalreporter.config.getoption("--gpu-memory"):
        terminalreporter.section("GPU memory")
        terminalreporter.write_line(f"{'peak':>10}  {'left':>10}  device  test")
        rows.sort(key=lambda row: -row["peak_bytes"])
        for row in rows[:_MOST_ROWS]:
            terminalreporter.write_line(f"{_text(row['peak_bytes']):>10}  {_text(row['left_bytes']):>10}  {row['device']:>6}  {row['test']}")
        if len(rows) > _MOST_ROWS:
            terminalreporter.write_line(f"... and {len(rows) - _MOST_ROWS} more, with a lower peak")
    if unmeasured:
        terminalreporter.write_line(f"GPU memory: {unmeasured} test{'s' * (unmeasured > 1)} used no GPU whose allocator memviz can record, or one that is recorded already, so no limit was checked;"
                                    " `pytest --rehearse h100` makes one up")  # fmt: skip


def _limits_of(item: pytest.Item) -> Optional[_Limits]:
    """Returns the limits of a test that is to be recorded; None for another one."""
    limit, leaks = item.get_closest_marker("limit_gpu_memory"), item.get_closest_marker("gpu_leaks")
    if limit is None and leaks is None and not item.config.getoption("--gpu-memory"):
        return None
    return _Limits(None if limit is None else _size_of(limit, None), None if leaks is None else _size_of(leaks, "0B"))


def _size_of(marker: pytest.Mark, default: Optional[str]) -> int:
    sizes = [*marker.args, *(value for name, value in marker.kwargs.items() if name == "size")]
    if len(sizes) > 1 or len(sizes) != len(marker.args) + len(marker.kwargs) or (not sizes and default is None):
        raise ValueError(f"{marker.name} takes one size, such as '12GiB'")
    return _bytes(sizes[0] if sizes else default)


def _is_history_on() -> bool:
    """Whether something else records already: its events of earlier tests would count."""
    torch = sys.modules.get("torch")
    is_on = getattr(getattr(torch, "_C", None), "_cuda_isHistoryEnabled", None)
    return is_on is not None and torch is not None and torch.cuda.is_initialized() and bool(is_on())


def _judge(limits: _Limits, file: str, is_left_known: bool) -> tuple[list[dict[str, Any]], list[str]]:
    """Returns what a test took of each GPU, and a sentence for each limit that it exceeded."""
    rows, problems = [], []
    for device in _stats(file, "peak"):
        gpu = device["device"]
        peak = device["peak_requested_bytes"] or device["end_requested_bytes"]
        left = device["end_requested_bytes"] - device["baseline_bytes"]
        new = _new_at_end(file, gpu) if left > 0 else []
        # PyTorch keeps the workspaces of cuBLAS for the calls to come. They may replace earlier ones, which the test freed.
        workspace_bytes = sum(row["requested_bytes"] for row in new if row["kind"] == "workspace")
        freed_bytes = sum(row["requested_bytes"] for row in new) - left
        left -= max(workspace_bytes - max(freed_bytes, 0), 0)
        rows.append({"device": gpu, "peak_bytes": peak, "left_bytes": max(left, 0)})
        if limits.most_bytes is not None and peak > limits.most_bytes:
            held = {user["line"]: user["bytes"] for user in device["users"]}
            problems.append(f"The test allocated {_text(peak)} of GPU {gpu} at once, more than its limit of "
                            f"{_text(limits.most_bytes)}.{_holders(held)}")  # fmt: skip
        if is_left_known and limits.most_left_bytes is not None and left > limits.most_left_bytes:
            new = [row for row in new if row["kind"] != "workspace"]
            problems.append(f"The test left {_text(left)} of GPU {gpu} allocated, more than its limit of "
                            f"{_text(limits.most_left_bytes)}.{_holders(_sums(new, 'line'))}{_keeper(file, new)}")  # fmt: skip
    return rows, problems


def _new_at_end(file: str, gpu: int) -> list[dict[str, Any]]:
    """Returns the memory that the test allocated and that is still in use."""
    from memviz_torch import table

    with _without_warnings():
        return [row for row in table(file, "live", at="end", device=gpu) if row.get("alloc_event") is not None]


def _sums(rows: list[dict[str, Any]], column: str) -> dict[str, int]:
    """Returns the bytes of each value of a column, the most first."""
    sums: dict[str, int] = {}
    for row in rows:
        if row.get(column):
            sums[row[column]] = sums.get(row[column], 0) + row["requested_bytes"]
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


def _stats(file: str, at: str) -> list[dict[str, Any]]:
    from memviz_torch import UsageError, stats

    with _without_warnings():
        try:
            devices: list[dict[str, Any]] = stats(file, at=at)["devices"]
        except UsageError:  # no events, so that the end is the peak
            devices = stats(file)["devices"]
    return [device for device in devices if device["device"] != "host"]


def _holders(held: dict[str, int]) -> str:
    lines = [f"{_text(count)} by {line}" for line, count in held.items() if not line.startswith("<")][:3]
    return f" It is held by these lines: {', '.join(lines)}." if lines else ""


def _keeper(file: str, rows: list[dict[str, Any]]) -> str:
    """Returns a sentence about the variable that keeps most of these blocks, if the file knows of one."""
    from memviz_torch import table

    places = {(row["device"], row.get("address")) for row in rows}
    with _without_warnings():
        kept = [row for row in table(file, "keepers") if (row["device"], row["address"]) in places]
    for row in kept:
        fixture = re.match(r"item\.funcargs\['(\w+)'\]", row.get("path") or "")
        if fixture:
            row["keeper"] = f"the fixture `{fixture.group(1)}`"
    return next((f" {_text(count)} of it is kept by {keeper}." for keeper, count in _sums(kept, "keeper").items()), "")


def _keep(item: pytest.Item, file: str) -> str:
    """Keeps the recording of a failed test, with a picture; returns where they are, or why they are not there."""
    from memviz_torch import Error, flame

    # The test may have changed the working directory.
    folder = os.path.join(str(item.config.invocation_params.dir), item.config.getoption("--gpu-memory-dir"))
    place = os.path.join(folder, _file_name(item.nodeid))
    try:
        os.makedirs(folder, exist_ok=True)
        shutil.copyfile(file, f"{place}.pickle")
        with _without_warnings():
            flame(file, at="auto").save(f"{place}.svg")
    except (Error, OSError) as error:
        return f"Its recording and picture could not be kept: {error}"
    return f"Its picture: {os.path.relpath(place, str(item.config.invocation_params.dir))}.svg"


def _file_name(nodeid: str) -> str:
    """Returns a name for each test: another one for another test, and none that a file system refuses."""
    plain = nodeid.replace("::", "_")
    name = re.sub(r"[^\w.-]+", "_", plain, flags=re.ASCII)
    if name == plain and len(name) <= _MOST_CHARACTERS:
        return name
    return f"{name[:_MOST_CHARACTERS]}-{hashlib.sha256(nodeid.encode()).hexdigest()[:8]}"


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Leaves out what memviz warns of, such as a made-up GPU; not around the test, whose warnings are its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _without_keepers(is_without: bool) -> Iterator[None]:
    """Leaves out the search for the variables that keep memory, which only leaks need."""
    before = os.environ.get("MEMVIZ_KEEPERS")
    if is_without:
        os.environ["MEMVIZ_KEEPERS"] = "0"
    try:
        yield
    finally:
        if is_without and before is None:
            del os.environ["MEMVIZ_KEEPERS"]
        elif is_without and before is not None:
            os.environ["MEMVIZ_KEEPERS"] = before


def _bytes(size: object) -> int:
    """Returns the bytes of 4096, "12GiB", "500 MiB" or "1.5G", which are powers of 1024."""
    if isinstance(size, int):
        return size
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMG]iB|[KMGB])\s*", str(size), re.IGNORECASE)
    if found is None:
        raise ValueError(f"a size is a number of bytes, or text such as '12GiB', not {size!r}")
    return int(float(found.group(1)) * 2 ** _UNITS[found.group(2).upper()])


def _text(count: int) -> str:
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << power:
            return f"{count / (1 << power):.2f} {unit}"
    return f"{count} B"

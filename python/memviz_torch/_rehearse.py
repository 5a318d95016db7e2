"""Tests whether a program fits on a made-up GPU: ``memviz rehearse``, with its answer as Python data."""

from __future__ import annotations

import html
import io
import json
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, fields
from typing import Any, Mapping, Optional, Sequence, Union

from memviz_torch._program import Error, Option, UsageError, program, words_of

Ranks = Sequence[Union[int, Sequence[int]]]
Search = Mapping[str, Union[str, range, Sequence[Union[str, int]]]]


@dataclass(frozen=True)
class RehearsedServer:
    """The memory that an inference server (vLLM, SGLang) found at its start, for one GPU: the highest of any of its
    processes; None where it did not come that far."""

    name: str
    version: str
    has_started: bool
    weights_bytes: Optional[int]
    activation_bytes: Optional[int]
    """The peak of a forward pass minus the weights."""
    outside_bytes: Optional[int]
    """Outside PyTorch, as the server measured."""
    outside_model_bytes: Optional[int]
    """The part that comes from a model of the driver instead of the rehearsal."""
    cache_bytes: Optional[int]
    """The KV cache."""
    graph_bytes: Optional[int]
    """CUDA graphs, as the server measured."""
    graph_model_bytes: Optional[int]
    """The part that comes from a model of the driver instead of the rehearsal."""
    budget_bytes: Optional[int]
    """The budget that the server sets itself."""
    awake_peak_bytes: Optional[int]
    """The peak of the whole program on the GPU while the server was awake; None if it never slept."""
    waking_peak_bytes: Optional[int]
    """The same while only its weights, or only its KV cache, were awake."""
    asleep_peak_bytes: Optional[int]
    """The same while it slept."""
    sleeps: Optional[int]
    """The number of times that it fell asleep."""
    cache_tokens: Optional[int]
    request_tokens: Optional[int]
    """The longest request."""
    requests_at_once: Optional[float]
    """The number of longest requests that fit in the KV cache."""
    requests: int
    """The number that it answered in the rehearsal."""
    added: "tuple[str, ...]"
    """Options that the rehearsal added to the program's."""
    error: str
    """The server's own error; empty if there was none."""


@dataclass(frozen=True)
class RehearsalRun:
    """One run of the program: one point of the axes, and one rank of a job."""

    gpu: str
    """The name of the profile."""
    rank: Optional[int]
    """None if the program is not a job, or starts its ranks itself."""
    outcome: str
    """"fits", "does_not_fit", "failed" or "no_gpu"."""
    text: str
    total_bytes: int
    peak_bytes: Optional[int]
    """The peak of the fullest device, like all figures below; None if no GPU was used."""
    pytorch_bytes: Optional[int]
    left_bytes: Optional[int]
    exit_code: int
    files: "tuple[str, ...]"
    """The snapshots, which all functions of this package read."""
    server: Optional[RehearsedServer] = None
    """None if the program is not an inference server."""
    deciding_lines: "tuple[str, ...]" = ()
    """The lines that read values which may decide the control flow."""
    least_peak_bytes: Optional[int] = None
    """The peak of the run that took less, if a real run is between two; None if there is one figure."""
    point: "Mapping[str, str]" = field(default_factory=dict)
    """The value of each axis: of a name of ``search``, "gpu" of several GPUs, and "setting"."""
    decides: str = ""
    """What holds the peak, was asked for in vain, or ended the program."""
    is_sure: bool = False
    """Whether nothing that was not measured on this GPU, and no unknown value, may turn the outcome."""

    @property
    def fits(self) -> bool:
        return self.outcome == "fits"


@dataclass(frozen=True)
class RehearsalRow:
    """The runs that differ in nothing but the number that is searched, and the rank."""

    point: "Mapping[str, str]"
    """The value of each axis but the number."""
    outcome: str
    """As of a run; with a search, whether any number fits."""
    text: str
    largest: Optional[int]
    """The largest number that fits; None if none does, or without a search."""
    run: RehearsalRun
    """The one that decides."""
    largest_sure: Optional[int] = None
    """The largest number that surely fits; None if none does, or without a search."""

    @property
    def fits(self) -> bool:
        return self.outcome == "fits"


class Rehearsal:
    """The result of a rehearsal. ``str()`` is a table of the runs; in a notebook it displays itself."""

    def __init__(self, figures: "dict[str, Any]") -> None:
        self.figures = figures
        """The JSON of ``memviz rehearse --json``."""
        self.runs = tuple(map(_run_of, figures["runs"]))
        """Each run, in the order of its point: the GPU with most memory first, then by rank."""
        self.rows = tuple(_row_of(row, self.runs) for row in figures["rows"])
        """What the runs show together: a row for each point of all axes but the number that is searched."""

    @property
    def text(self) -> str:
        """The answer in sentences."""
        return str(self.figures["text"])

    @property
    def answer(self) -> RehearsalRow:
        """The row that the text describes: of the program as it is, the first that fits on the smallest GPU."""
        return self.rows[int(self.figures["answer"])]

    @property
    def fits(self) -> bool:
        """Whether the program as it is fits, with all rehearsed ranks, at one point at least."""
        return self.answer.fits

    def __str__(self) -> str:
        rows = [self._headings(), *map(self._cells, self.runs)]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
        return "\n".join([self.text, "", *lines])

    def __repr__(self) -> str:
        return f"<Rehearsal: {self.text}>"

    def _repr_html_(self) -> str:
        cells = ["".join(f"<td>{html.escape(cell)}</td>" for cell in self._cells(run)) for run in self.runs]
        heading = "".join(f"<th>{html.escape(cell)}</th>" for cell in self._headings())
        rows = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<p>{html.escape(self.text)}</p><table><tr>{heading}</tr>{rows}</table>"

    def _names(self) -> "list[str]":
        """Returns the names of the axes that need a column."""
        return [axis["name"] for axis in self.figures["axes"] if axis["kind"] != "gpu"]

    def _headings(self) -> "tuple[str, ...]":
        return (*self._names(), "rank", "GPU", "answer", "peak", "of which PyTorch", "left")

    def _cells(self, run: RehearsalRun) -> "tuple[str, ...]":
        rank = "" if run.rank is None else str(run.rank)
        answer = "may fit" if run.fits and not run.is_sure else run.outcome.replace("_", " ")
        sizes = map(_size, (run.peak_bytes, run.pytorch_bytes, run.left_bytes))
        return (*(run.point[name] for name in self._names()), rank, run.gpu, answer, *sizes)


def rehearse(
    command: "Union[str, Sequence[str]]",
    *,
    gpu: "Union[None, str, Sequence[str]]" = None,
    devices: Optional[int] = None,
    memory: "Union[None, int, str]" = None,
    outside: "Union[None, int, str]" = None,
    steps: Optional[int] = None,
    requests: Optional[int] = None,
    world: Optional[int] = None,
    ranks: Optional[Ranks] = None,
    local_world: Optional[int] = None,
    search: Optional[Search] = None,
    share: "Union[None, str, Sequence[str]]" = None,
    compare_with: "Union[None, str, Sequence[str]]" = None,
    levers: bool = False,
    show_output: bool = False,
    jobs: Optional[int] = None,
    late: bool = False,
    values: "Union[None, bool, str]" = None,
    output: "Union[None, str, os.PathLike[str]]" = None,
    no_record: bool = False,
    max_entries: Optional[int] = None,
    quiet: bool = False,
) -> Rehearsal:
    """Tests whether a program fits on a made-up GPU, with PyTorch's real allocator.

    command: the program and its arguments, as a list or as a line for a shell, such as "python train.py --batch 32".
    gpu: one or several, "h100" (default) or ["h100", "a100-40", "4090"]; memory: of each, as "24GiB" or in bytes.
    outside: the memory of each that libraries and kernels take outside PyTorch, as "0.25GiB" or in bytes.
    steps: end each process after this many optimizer steps; requests: end a server after this many of the longest requests.
    values: whether small integers and conditions are computed: "auto" (default: in a second run, if the program reads any
    that may decide its control flow), True or False.
    world: the number of ranks in the job; ranks: those to rehearse, such as [0, 511], or [[0, 8]] for ranks that meet.
    search: the numbers and values of variables of the environment, whose names in braces are replaced in the command:
    {"BATCH": range(1, 257)} or {"BATCH": "1..256"} for the largest number that fits, {"TP": [1, 2, 4]} for each value; of
    several ranges the first is searched, for the lowest number of the others, doubled. show_output: of each of these runs.
    share: other programs on the same GPU, each a line for a shell, whose peaks are taken before this program begins.
    compare_with: settings to run it with as well, such as "NAME=VALUE" or "--checkpointing"; levers: those of PyTorch's
    allocator. All of these combine; several GPUs, numbers, ranks and settings are one table.
    jobs: how many of these runs at once.
    output: the folder of the snapshots, "memviz-rehearsal" by default; quiet: no line for each run on standard error.

    The program's own output appears as usual. Raises Error if no rehearsal could be made; if the program itself fails,
    the runs show it. ``memviz help rehearse`` describes every option.
    """
    options: "dict[str, Option]" = {
        name: value
        for name, value in locals().items()
        if name not in ("command", "ranks", "search", "share", "compare_with")
    }
    if isinstance(values, bool):
        options["values"] = "on" if values else "off"
    options["rank"] = None if ranks is None else ",".join(map(_rank_word, ranks))
    axes = [f"--search={_search_word(name, values)}" for name, values in (search or {}).items()]
    axes += [f"--share={line}" for line in _listed(share)]
    axes += [f"--compare-with={change}" for change in _listed(compare_with)]
    with tempfile.TemporaryDirectory(prefix="memviz-") as folder:
        answer = os.path.join(folder, "answer.json")
        words = shlex.split(command) if isinstance(command, str) else list(command)
        code, said = _run([program(), "rehearse", *words_of(options), *axes, f"--json={answer}", "--", *words])
        if not os.path.exists(answer):
            raise (UsageError if code == 2 else Error)(said or f"memviz rehearse ended with exit code {code}")
        with open(answer, encoding="utf-8") as file:
            return Rehearsal(json.load(file))


def _listed(words: "Union[None, str, Sequence[str]]") -> "list[str]":
    return [words] if isinstance(words, str) else list(words or ())


def _rank_word(rank: "Union[int, Sequence[int]]") -> str:
    return str(rank) if isinstance(rank, int) else "+".join(map(str, rank))


def _search_word(name: str, values: "Union[str, range, Sequence[Union[str, int]]]") -> str:
    if isinstance(values, range):
        if values.step != 1 or not values:
            raise UsageError(f"search: {name} must be a range with a step of 1, not {values}")
        return f"{name}={values[0]}..{values[-1]}"
    return f"{name}={values}" if isinstance(values, str) else f"{name}={','.join(map(str, values))}"


def _run(words: "list[str]") -> "tuple[int, str]":
    """Returns the exit code and the last line that memviz wrote to standard error; passes all of it on to ours."""
    said = ""
    try:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except OSError as error:
        raise Error(f"{words[0]} cannot be started: {error.strerror}") from error
    with process:
        assert process.stderr is not None
        try:
            # Progress bars end their lines with carriage returns.
            for line in io.TextIOWrapper(process.stderr, errors="replace", newline=""):
                sys.stderr.write(line)
                sys.stderr.flush()
                if line.startswith("memviz: "):
                    said = line[len("memviz: ") :].rstrip()
        except BaseException:
            process.terminate()
            raise
    return process.returncode, said


def _row_of(row: "dict[str, Any]", runs: "Sequence[RehearsalRun]") -> RehearsalRow:
    return RehearsalRow(row["point"], row["outcome"], row["text"], row.get("largest"), runs[row["run"]], row.get("largest_sure"))


def _run_of(run: "dict[str, Any]") -> RehearsalRun:
    verdict = run["verdict"]
    fullest: "dict[str, Any]" = max(verdict["devices"], key=lambda device: device["peak_bytes"], default={})
    return RehearsalRun(
        gpu=verdict["gpu"]["profile"],
        rank=run.get("rank"),
        outcome=verdict["outcome"],
        text=verdict["text"],
        total_bytes=verdict["gpu"]["total_bytes"],
        peak_bytes=fullest.get("peak_bytes"),
        pytorch_bytes=fullest.get("peak_reserved_bytes"),
        left_bytes=fullest.get("left_bytes"),
        exit_code=verdict["program"]["exit_code"],
        files=tuple(file["file"] for file in verdict["files"]),
        server=_server_of(verdict.get("server")),
        deciding_lines=tuple(read["line"] for read in verdict["deciding_read_lines"]),
        least_peak_bytes=_least_peak_of(verdict, fullest.get("peak_bytes")),
        point=run["point"],
        decides=run["decides"],
        is_sure=verdict["is_sure"],
    )


def _least_peak_of(verdict: "dict[str, Any]", peak: Optional[int]) -> Optional[int]:
    others = [verdict.get("other_end"), verdict.get("other_values")]
    peaks = [other["peak_bytes"] for other in others if other is not None and other.get("is_range", True)]
    least = min(peaks, default=peak)
    return None if peak is None or least is None or least >= peak else least


def _server_of(figures: "Optional[dict[str, Any]]") -> Optional[RehearsedServer]:
    if figures is None:
        return None
    known: "dict[str, Any]" = {one.name: figures.get(one.name) for one in fields(RehearsedServer)}
    known["added"] = tuple(figures["added"])
    return RehearsedServer(**known)


def _size(count: Optional[int]) -> str:
    return "" if count is None else f"{count / 2**30:,.2f} GiB"

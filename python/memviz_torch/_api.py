"""One function for each command of the program that looks at snapshots.

Keyword arguments are the command's options, with ``_`` for ``-``; an option that is not given is the program's own
default. ``memviz help COMMAND`` says what each one means; the program checks them, and UsageError has its words.
"""

from __future__ import annotations

import json
import os
from typing import Any, Literal, Mapping, Optional, Sequence, Union

from memviz_torch._program import Answer, Option, Snapshot, ask
from memviz_torch._results import Comparison, Explanation, Leaks, Page, Picture

Device = Union[int, str]
Path = Union[str, "os.PathLike[str]"]
Size = Union[int, str]
Color = Literal["origin", "line", "kind"]
Folders = Union[Path, Sequence[Path]]


def flame(
    snapshot: Snapshot,
    *,
    at: Optional[str] = None,
    device: Optional[Device] = None,
    view: Optional[str] = None,
    by: Optional[str] = None,
    group: "Union[None, str, Sequence[str]]" = None,
    frames: Optional[str] = None,
    focus: Optional[str] = None,
    hide: Optional[str] = None,
    color: Optional[Color] = None,
    upward: bool = False,
    no_fold: bool = False,
    max_size: Optional[Size] = None,
    min_percent: Optional[float] = None,
    source: Optional[Folders] = None,
    kinds: Optional[Path] = None,
    rank: "Union[None, int, str]" = None,
    redact: Optional[str] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Picture:
    """Draws who holds every reserved byte as a flame graph: the width of a box is bytes.

    snapshot: the path of a file, the bytes of one, or what ``torch.cuda.memory._snapshot()`` returns.
    at: the moment: "end", "peak", "oom", "event:N", "time:MICROSECONDS", "annotation:NAME" or "auto" (default).
    device: a GPU's number, or "host" for pinned host memory.
    view: "memory" (default) or "segments"; by: "stack" (default) or "keeper", the variables that refer to the memory;
    group: any other levels, such as ["kind"] or "stream,annotation".
    frames: "program" (default), "filtered", "user", "python" or "all"; focus, hide: regular expressions for frames.
    color: the meaning of colours, "origin" (default), "line" or "kind".
    source: folders whose files have not changed since, for the text of lines; a notebook's cells need no folder.
    redact: hides parts of your code, "paths", "names" or "all".

    ``memviz help flame`` has the whole of it.
    """
    return _picture("flame", snapshot, _options(locals()))


def timeline(
    snapshot: Snapshot,
    after: Optional[Snapshot] = None,
    *,
    view: Optional[str] = None,
    axis: Optional[str] = None,
    detail: Optional[int] = None,
    steps: Optional[str] = None,
    from_: Optional[int] = None,
    to: Optional[int] = None,
    device: Optional[Device] = None,
    color: Optional[Color] = None,
    max_size: Optional[Size] = None,
    kinds: Optional[Path] = None,
    rank: "Union[None, int, str]" = None,
    redact: Optional[str] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Picture:
    """Draws live memory over the recording: its peak, and who held it.

    after: the snapshot of a second run, whose live memory is drawn over the first.
    view: "active" (default), "segments" or "pools"; axis: "event", "time" or, for two snapshots, "step"; steps: how to find steps.
    detail: the number of largest allocations drawn as bands; from_, to: the first and the last event.
    color: "line" (default), "origin" or "kind".

    ``memviz help timeline`` has the whole of it.
    """
    snapshots = {"snapshot": snapshot} if after is None else {"before": snapshot, "after": after}
    answer = ask("timeline", snapshots, _options(locals()), ("output",))
    return Picture(answer.files["output"], answer.warnings)


def state(
    snapshot: Snapshot,
    *,
    at: Optional[str] = None,
    device: Optional[Device] = None,
    color: Optional[Color] = None,
    max_size: Optional[Size] = None,
    source: Optional[Folders] = None,
    kinds: Optional[Path] = None,
    rank: "Union[None, int, str]" = None,
    redact: Optional[str] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Picture:
    """Draws every segment to scale, with its blocks and holes, at a moment.

    ``memviz help state`` has the whole of it.
    """
    return _picture("state", snapshot, _options(locals()))


def explain(
    snapshot: Snapshot,
    *,
    brief: bool = False,
    capacity: Optional[Size] = None,
    at: Optional[str] = None,
    device: Optional[Device] = None,
    source: Optional[Folders] = None,
    kinds: Optional[Path] = None,
    rank: "Union[None, int, str]" = None,
    redact: Optional[str] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Explanation:
    """Explains why memory ran out or is fragmented, and what would have helped.

    brief: limits the text to what happened, why, what to do, and who holds most.
    capacity: memory of each device, as "80GiB" or in bytes; without it memory outside PyTorch is unknown.

    ``memviz help explain`` has the whole of it.
    """
    answer = ask("explain", {"snapshot": snapshot}, _options(locals()), ("json", "text", "output"))
    return Explanation(answer.files["output"], answer.files["text"], _figures(answer), answer.warnings)


def compare(
    before: Snapshot,
    after: Snapshot,
    *,
    at: Optional[str] = None,
    device: Optional[Device] = None,
    match: Optional[str] = None,
    fail_over: Optional[Size] = None,
    gate: Optional[str] = None,
    by_step: bool = False,
    steps: Optional[str] = None,
    view: Optional[str] = None,
    by: Optional[str] = None,
    group: "Union[None, str, Sequence[str]]" = None,
    frames: Optional[str] = None,
    focus: Optional[str] = None,
    hide: Optional[str] = None,
    upward: bool = False,
    no_fold: bool = False,
    max_size: Optional[Size] = None,
    min_percent: Optional[float] = None,
    source: Optional[Folders] = None,
    kinds: Optional[Path] = None,
    rank: "Union[None, int, str]" = None,
    redact: Optional[str] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Comparison:
    """Shows what changed from one snapshot to another, in figures and as a flame graph of the difference.

    match: how frames are matched, "line", "function" or "auto" (default).
    fail_over: sets ``exceeded`` if the peak, the end or the reserved memory of a device grew by more than this, as
    "500M" or "2%"; gate: looks at one of them only, "peak", "end" or "reserved".
    by: "keeper" compares what refers to the memory instead of what allocated it.

    ``memviz help compare`` has the whole of it.
    """
    snapshots = {"before": before, "after": after}
    answer = ask("compare", snapshots, _options(locals()), ("output", "json", "markdown"))
    return Comparison(
        answer.files["output"],
        answer.text,
        _figures(answer),
        answer.files["markdown"],
        answer.exceeded,
        answer.warnings,
    )


def leaks(
    snapshot: Snapshot,
    *,
    steps: Optional[str] = None,
    capacity: Optional[Size] = None,
    fail_over: Optional[Size] = None,
    device: Optional[Device] = None,
    source: Optional[Folders] = None,
    kinds: Optional[Path] = None,
    rank: "Union[None, int, str]" = None,
    redact: Optional[str] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Leaks:
    """Finds stacks whose memory grows from step to step, and the number of steps left.

    steps: "auto" (default), "annotation:NAME", "events:N" or "time:MICROSECONDS".
    fail_over: sets ``exceeded`` if a device grows by more than this per step.

    ``memviz help leaks`` has the whole of it.
    """
    answer = ask("leaks", {"snapshot": snapshot}, _options(locals()), ("json", "output"))
    return Leaks(answer.files["output"], _figures(answer), answer.exceeded, answer.warnings)


def stats(
    snapshot: Snapshot,
    *,
    at: Optional[str] = None,
    by: Optional[str] = None,
    steps: Optional[str] = None,
    device: Optional[Device] = None,
    kinds: Optional[Path] = None,
    rank: "Union[None, int, str]" = None,
    redact: Optional[str] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> "dict[str, Any]":
    """Returns totals, accounts, largest users and settings of each device, as in ``memviz stats --json``.

    by: "device" (default), or "step" for a table of steps; steps: how to find steps.

    ``memviz help stats`` has the whole of it.
    """
    return _figures(ask("stats", {"snapshot": snapshot}, _options(locals()), ("json",)))


def keepers(
    snapshot: Snapshot,
    *,
    device: Optional[Device] = None,
    rank: "Union[None, int, str]" = None,
    redact: Optional[str] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> "list[dict[str, Any]]":
    """Returns who keeps the memory in use at the end of each GPU, as ``keepers`` of ``memviz stats --json`` does, with
    the GPU as ``device``; an empty list if the snapshot does not record it.

    >>> for kept in memviz_torch.keepers("oom.pickle"):
    ...     for variable in kept["variables"]:
    ...         print(variable["text"], variable["own_bytes"] + variable["graph_bytes"], variable["retained_bytes"])

    ``account``: all bytes in use, by how they are kept; ``groups``: the largest paths; ``texts``: sentences.
    docs/keepers.md has the meaning of each figure.
    """
    figures = _figures(ask("stats", {"snapshot": snapshot}, _options(locals()), ("json",)))
    found = ((of_device["device"], of_device["keepers"]) for of_device in figures["devices"])
    return [{"device": number, **kept} for number, kept in found if kept is not None]


def view(
    *snapshots: Snapshot,
    device: Optional[Device] = None,
    from_: Optional[int] = None,
    to: Optional[int] = None,
    max_size: Optional[Size] = None,
    rank: "Union[None, int, str]" = None,
    redact: Optional[str] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Page:
    """Makes one page to explore recordings event by event; without a snapshot, one onto which you drop files.

    device, from_, to: carry only these events, of this device.
    max_size: the maximum size of the page, "10MB" by default.

    ``memviz help view`` has the whole of it.
    """
    options = _options(locals())
    named = {f"snapshot{i or ''}": snapshot for i, snapshot in enumerate(snapshots)}
    answer = ask("view", named, options if named else {**options, "empty": True}, ("output",))
    return Page(answer.files["output"], answer.warnings)


_SNAPSHOTS = ("snapshot", "before", "after", "snapshots")


def _options(arguments: "Mapping[str, Any]") -> "dict[str, Option]":
    return {name: value for name, value in arguments.items() if name not in _SNAPSHOTS}


def _picture(command: str, snapshot: Snapshot, options: "Mapping[str, Option]") -> Picture:
    answer = ask(command, {"snapshot": snapshot}, options, ("output",))
    return Picture(answer.files["output"], answer.warnings)


def _figures(answer: Answer) -> "dict[str, Any]":
    figures: "dict[str, Any]" = json.loads(answer.files["json"])
    return figures

"""One function for each command of the program that looks at snapshots.

Keyword arguments are the command's options, with ``_`` for ``-``; an option that is not given is the program's own
default. ``memviz help COMMAND`` says what each one means; the program checks them, and UsageError has its words.

MEMVIZ_BLESS=1 build/tests/memviz_tests -tc='*_api.py*' makes this file from the options of the program.

Keywords of most functions:

device: only this device: a GPU's number, or host for pinned host memory (default: all).
kinds: your own rules for kinds of memory (docs/kinds.md), one per line: a kind and a regular expression for
    frames (/path/file.py:12:function), annotations and metadata, such as 'activation kv_cache\\.py'.
max_memory: fail cleanly instead of using more memory than this, for example 500M or 2GiB; an uncompressed
    snapshot file itself does not count (default: 80 bytes for each byte of the file, 800 if it is compressed, at
    least 256MiB and at most a quarter of the machine's memory).
rank: which snapshot of a file that holds several (an archive, or a list or dict of snapshots): its rank or its
    name.
redact: hide what the snapshot reveals about your code, so that the result can be published.
redact_key: makes the pseudonyms depend on this text; without it, anyone who guesses a name can check the guess.
source: show, in lists and tooltips, the text of lines whose file is in this folder and has not changed since the
    snapshot was written. Only source files in the folder are read (.py, .cpp, .cu, ...), no hidden ones, and no
    symbolic links are followed.
threads: threads for decoding the file (default: the number of processors, at most 4; for several files all of
    them).
"""

from __future__ import annotations

import os
from typing import Any, Literal, Optional, Sequence, Union

from memviz_torch import _answers
from memviz_torch._program import Snapshot
from memviz_torch._results import Comparison, Explanation, Leaks, Page, Picture

Device = Union[int, str]
Path = Union[str, "os.PathLike[str]"]
Size = Union[int, str]
Folders = Union[Path, Sequence[Path]]


def flame(
    snapshot: Snapshot,
    *,
    view: Optional[Literal["memory", "segments"]] = None,
    by: Optional[Literal["stack", "keeper"]] = None,
    group: Optional[Union[str, Sequence[str]]] = None,
    frames: Optional[Literal["program", "filtered", "user", "python", "all"]] = None,
    focus: Optional[str] = None,
    hide: Optional[str] = None,
    device: Optional[Device] = None,
    at: Optional[str] = None,
    color: Optional[Literal["origin", "line", "kind"]] = None,
    upward: bool = False,
    no_fold: bool = False,
    max_size: Optional[Size] = None,
    min_percent: Optional[float] = None,
    source: Optional[Folders] = None,
    kinds: Optional[Path] = None,
    rank: Optional[Union[int, str]] = None,
    redact: Optional[Literal["paths", "names", "all"]] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Picture:
    """Draws who holds every reserved byte as a flame graph: the width of a box is bytes.

    snapshot: the path of a file, the bytes of one, or what ``torch.cuda.memory._snapshot()`` returns.
    view: memory: by stream, state and stack (default); segments: by stream, segment, state and stack, with the
        blocks of each segment and what keeps mostly empty ones from being returned.
    by: stack: by the stack that allocated memory (default); keeper: by the variable that refers to it, with its
        path in Python, at the end of a recording that has keepers (docs/keepers.md).
    group: any other order of levels above the stacks: device, pool, stream, segment, state, annotation (the
        record_function that was open), metadata (what torch.cuda.memory._set_memory_metadata set), compile (the
        region of torch.compile), kind (parameter, gradient, activation, ...; docs/kinds.md), keeper (the variable
        that refers to it; docs/keepers.md), separated by commas; instead of view. If the file has pinned host memory
        as well as GPUs, device comes first.
    frames: which frames of a stack to keep. program (default): all except the interpreter's own and those that
        PyTorch's tools omit; filtered: all except those that PyTorch's tools omit; user: your own code; python; all.
    focus: only stacks with a frame that matches this regular expression; the rest is one box.
    hide: remove matching frames from their stacks.
    at: end, peak, oom (the last out-of-memory error), event:N, time:MICROSECONDS, annotation:NAME or
        annotation:NAME#K (its K-th start), or auto: for each device oom if it has one, else peak, else (without
        events) end (default: auto).
    color: the meaning of colours. origin: your code, torch, other Python or C++; line: the line of your own code,
        with the same colour in every picture; kind: parameter, gradient, activation, ... (docs/kinds.md) (default:
        origin).
    upward: root at the bottom, stacks growing up.
    no_fold: draw every frame as a separate box; by default runs of frames that are not your own are folded into
        one (frames all never folds).
    max_size: merge small boxes until the file is no larger, for example 500K or 1MiB (default: 2M).
    min_percent: merge boxes narrower than P percent of the picture into one per parent.
    device, source, kinds, rank, redact, redact_key, threads, max_memory: see ``help(memviz_torch._api)``.

    ``memviz help flame`` has the whole of it.
    """
    return _answers.flame(locals())


def timeline(
    snapshot: Snapshot,
    after: Optional[Snapshot] = None,
    *,
    view: Optional[Literal["active", "segments", "pools"]] = None,
    detail: Optional[int] = None,
    axis: Optional[Literal["event", "time", "step"]] = None,
    from_: Optional[int] = None,
    to: Optional[int] = None,
    device: Optional[Device] = None,
    steps: Optional[str] = None,
    color: Optional[Literal["origin", "line", "kind", "keeper"]] = None,
    max_size: Optional[Size] = None,
    kinds: Optional[Path] = None,
    rank: Optional[Union[int, str]] = None,
    redact: Optional[Literal["paths", "names", "all"]] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Picture:
    """Draws live memory over the recording: its peak, and who held it.

    after: the snapshot of a second run, whose live memory is drawn over the first.
    view: active: allocations (default); segments: the memory reserved from the device; pools: a chart for each of
        the largest streams and private pools, and one for the rest.
    detail: draw the N largest allocations as bands (default: all that are high enough to be visible).
    axis: event: evenly spaced events (default); time: to scale in time (default for several devices, which share
        a clock); step, for two files: by the steps of the program (default for two files whose steps are known).
    from_: begin after this event (default: before the first).
    to: end with this event (default: the last).
    steps: auto (default); annotation:NAME, one at each START of it (NAME* means all that begin so); events:N;
        time:US (microseconds).
    color: the meaning of colours. origin: your code, torch, other Python or C++; line: the line of your own code,
        with the same colour in every picture; kind: parameter, gradient, activation, ... (docs/kinds.md); keeper: the
        variable that keeps it at the end (docs/keepers.md) (default: line).
    max_size: draw fewer bands until the file is no larger, for example 500K or 1MiB (default: 2M).
    device, kinds, rank, redact, redact_key, threads, max_memory: see ``help(memviz_torch._api)``.

    ``memviz help timeline`` has the whole of it.
    """
    return _answers.timeline(locals())


def state(
    snapshot: Snapshot,
    *,
    device: Optional[Device] = None,
    at: Optional[str] = None,
    color: Optional[Literal["origin", "line", "kind", "keeper"]] = None,
    max_size: Optional[Size] = None,
    source: Optional[Folders] = None,
    kinds: Optional[Path] = None,
    rank: Optional[Union[int, str]] = None,
    redact: Optional[Literal["paths", "names", "all"]] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Picture:
    """Draws every segment to scale, with its blocks and holes, at a moment.

    at: end, peak, oom (the last out-of-memory error), event:N, time:MICROSECONDS, annotation:NAME or
        annotation:NAME#K (its K-th start), or auto: for each device oom if it has one, else peak, else (without
        events) end (default: auto).
    color: the meaning of colours. origin: your code, torch, other Python or C++; line: the line of your own code,
        with the same colour in every picture; kind: parameter, gradient, activation, ... (docs/kinds.md); keeper: the
        variable that keeps it at the end (docs/keepers.md) (default: line).
    max_size: merge small neighbours and draw fewer segments until the file is no larger, for example 500K or 1MiB
        (default: 2M).
    device, source, kinds, rank, redact, redact_key, threads, max_memory: see ``help(memviz_torch._api)``.

    ``memviz help state`` has the whole of it.
    """
    return _answers.state(locals())


def explain(
    snapshot: Snapshot,
    *,
    brief: bool = False,
    capacity: Optional[Size] = None,
    device: Optional[Device] = None,
    at: Optional[str] = None,
    source: Optional[Folders] = None,
    kinds: Optional[Path] = None,
    rank: Optional[Union[int, str]] = None,
    redact: Optional[Literal["paths", "names", "all"]] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Explanation:
    """Explains why memory ran out or is fragmented, and what would have helped.

    brief: only what happened, why, what to do, and which lines hold most; for logs.
    capacity: the memory of each device, for example 80GiB, if the file does not record it: otherwise memory
        outside PyTorch is unknown; a value smaller than what a device had is an error.
    at: end, peak, oom (the last out-of-memory error), event:N, time:MICROSECONDS, annotation:NAME or
        annotation:NAME#K (its K-th start), or auto: for each device oom if it has one, else peak, else (without
        events) end (default: auto).
    device, source, kinds, rank, redact, redact_key, threads, max_memory: see ``help(memviz_torch._api)``.

    ``memviz help explain`` has the whole of it.
    """
    return _answers.explain(locals())


def compare(
    before: Snapshot,
    after: Snapshot,
    *,
    match: Optional[Literal["auto", "line", "function"]] = None,
    fail_over: Optional[Size] = None,
    gate: Optional[Literal["peak", "end", "reserved"]] = None,
    by_step: bool = False,
    view: Optional[Literal["memory", "segments"]] = None,
    by: Optional[Literal["stack", "keeper"]] = None,
    group: Optional[Union[str, Sequence[str]]] = None,
    frames: Optional[Literal["program", "filtered", "user", "python", "all"]] = None,
    focus: Optional[str] = None,
    hide: Optional[str] = None,
    device: Optional[Device] = None,
    at: Optional[str] = None,
    steps: Optional[str] = None,
    upward: bool = False,
    no_fold: bool = False,
    max_size: Optional[Size] = None,
    min_percent: Optional[float] = None,
    source: Optional[Folders] = None,
    kinds: Optional[Path] = None,
    rank: Optional[Union[int, str]] = None,
    redact: Optional[Literal["paths", "names", "all"]] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Comparison:
    """Shows what changed from one snapshot to another, in figures and as a flame graph of the difference.

    match: when two frames are the same.
    fail_over: set ``exceeded`` if the peak or the end of a device grew by more than this size or percentage,
        which needs a unit: 500M, 1GiB, 2%. Or separate limits: peak=1%,end=64MiB, with reserved=SIZE for reserved
        memory, and line=SIZE for each line of your code at the compared moment. A peak that is unknown, because a
        file has no events, is reported and not checked.
    gate: check only this figure: peak or end (requested bytes), or reserved (at the end). An unknown figure is an
        error.
    by_step: also compare step by step, if the steps of both are known, and report in which step they differ most.
        Events and times are not compared, because one additional allocation shifts all later ones.
    view: memory: by stream, state and stack; segments: by stream, segment, state and stack (default: by state and
        stack).
    by: stack: by the stack that allocated memory (default); keeper: by the variable that refers to it, with its
        path in Python, at the end of a recording that has keepers (docs/keepers.md).
    group: any other order of levels above the stacks: device, pool, stream, segment, state, annotation (the
        record_function that was open), metadata (what torch.cuda.memory._set_memory_metadata set), compile (the
        region of torch.compile), kind (parameter, gradient, activation, ...; docs/kinds.md), keeper (the variable
        that refers to it; docs/keepers.md), separated by commas; instead of view. If the file has pinned host memory
        as well as GPUs, device comes first.
    frames: which frames of a stack to keep. program (default): all except the interpreter's own and those that
        PyTorch's tools omit; filtered: all except those that PyTorch's tools omit; user: your own code; python; all.
    focus: only stacks with a frame that matches this regular expression; the rest is one box.
    hide: remove matching frames from their stacks.
    at: end, peak, oom (the last out-of-memory error), event:N, time:MICROSECONDS, annotation:NAME or
        annotation:NAME#K (its K-th start), or auto: for each device oom if it has one, else peak, else (without
        events) end (default: auto).
    steps: auto (default); annotation:NAME, one at each START of it (NAME* means all that begin so); events:N;
        time:US (microseconds).
    upward: root at the bottom, stacks growing up.
    no_fold: draw every frame as a separate box; by default runs of frames that are not your own are folded into
        one (frames all never folds).
    max_size: merge small boxes until the file is no larger, for example 500K or 1MiB (default: 2M).
    min_percent: merge boxes narrower than P percent of the picture into one per parent.
    device, source, kinds, rank, redact, redact_key, threads, max_memory: see ``help(memviz_torch._api)``.

    ``memviz help compare`` has the whole of it.
    """
    return _answers.compare(locals())


def leaks(
    snapshot: Snapshot,
    *,
    steps: Optional[str] = None,
    capacity: Optional[Size] = None,
    fail_over: Optional[Size] = None,
    device: Optional[Device] = None,
    source: Optional[Folders] = None,
    kinds: Optional[Path] = None,
    rank: Optional[Union[int, str]] = None,
    redact: Optional[Literal["paths", "names", "all"]] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Leaks:
    """Finds stacks whose memory grows from step to step, and the number of steps left.

    steps: auto (default); annotation:NAME, one at each START of it (NAME* means all that begin so); events:N;
        time:US (microseconds).
    capacity: what PyTorch can use of the device, for example 80GB (default: known if the recording has an
        out-of-memory error).
    fail_over: set ``exceeded`` if a device grows by more than this size per step, which needs a unit, with medium
        or high confidence; with code 1 if that is unknown, because the steps are a guess or there are none: declare
        them with steps.
    device, source, kinds, rank, redact, redact_key, threads, max_memory: see ``help(memviz_torch._api)``.

    ``memviz help leaks`` has the whole of it.
    """
    return _answers.leaks(locals())


def stats(
    snapshot: Snapshot,
    *,
    device: Optional[Device] = None,
    at: Optional[str] = None,
    by: Optional[Literal["device", "step"]] = None,
    steps: Optional[str] = None,
    kinds: Optional[Path] = None,
    rank: Optional[Union[int, str]] = None,
    redact: Optional[Literal["paths", "names", "all"]] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> dict[str, Any]:
    """Returns totals, accounts, largest users and settings of each device, as in ``memviz stats --json``.

    at: end, peak, oom (the last out-of-memory error), event:N, time:MICROSECONDS, annotation:NAME or
        annotation:NAME#K (its K-th start), or auto: for each device oom if it has one, else peak, else (without
        events) end (default: end).
    by: device (default), or step: a table of steps instead, with the peak, the end, and the allocated and freed
        bytes of each.
    steps: auto (default); annotation:NAME, one at each START of it (NAME* means all that begin so); events:N;
        time:US (microseconds).
    device, kinds, rank, redact, redact_key, threads, max_memory: see ``help(memviz_torch._api)``.

    ``memviz help stats`` has the whole of it.
    """
    return _answers.stats(locals())


def keepers(
    snapshot: Snapshot,
    *,
    device: Optional[Device] = None,
    rank: Optional[Union[int, str]] = None,
    redact: Optional[Literal["paths", "names", "all"]] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> list[dict[str, Any]]:
    """Returns who keeps the memory in use at the end of each GPU; an empty list if that is not recorded.

    Each GPU has what ``keepers`` of ``memviz stats --json`` has, with the GPU as ``device``.

    >>> for kept in memviz_torch.keepers("oom.pickle"):
    ...     for variable in kept["variables"]:
    ...         print(variable["text"], variable["own_bytes"] + variable["graph_bytes"])

    ``account``: all bytes in use, by how they are kept; ``groups``: the largest paths; ``texts``: sentences.
    docs/keepers.md has the meaning of each figure.

    device, rank, redact, redact_key, threads, max_memory: see ``help(memviz_torch._api)``.

    ``memviz help stats`` has the whole of it.
    """
    return _answers.keepers(locals())


def view(
    *snapshots: Snapshot,
    max_size: Optional[Size] = None,
    from_: Optional[int] = None,
    to: Optional[int] = None,
    device: Optional[Device] = None,
    rank: Optional[Union[int, str]] = None,
    redact: Optional[Literal["paths", "names", "all"]] = None,
    redact_key: Optional[str] = None,
    threads: Optional[int] = None,
    max_memory: Optional[Size] = None,
) -> Page:
    """Makes one page to explore recordings event by event; without a snapshot, one onto which you drop files.

    max_size: refuse to write a larger page (default: 30MB).
    from_: begin with this event of the device (default: the first).
    to: end with this event of the device (default: the last).
    device, rank, redact, redact_key, threads, max_memory: see ``help(memviz_torch._api)``.

    ``memviz help view`` has the whole of it.
    """
    return _answers.view(locals())

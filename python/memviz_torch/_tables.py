"""The tables of ``memviz export``: rows for pandas, Arrow, or plain Python."""

from __future__ import annotations

import json
from html import escape
from importlib import import_module
from typing import Any, Iterator, Literal, Optional, Union

from memviz_torch._program import Snapshot, ask

Name = Literal["live", "keepers", "events", "segments", "blocks", "devices", "stack_lines", "texts", "event_notes"]


class Table:
    """Rows of one table, each a dict by column; docs/export.md says what the columns mean. Addresses are texts."""

    def __init__(self, rows: "list[dict[str, Any]]", warnings: "tuple[str, ...]" = ()) -> None:
        self.rows = rows
        self.warnings = warnings

    @property
    def columns(self) -> "list[str]":
        """The columns that a row has, in their order; a column that is empty in all rows is left out."""
        return list(dict.fromkeys(column for row in self.rows for column in row))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> "Iterator[dict[str, Any]]":
        return iter(self.rows)

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame; pandas has to be installed."""
        return import_module("pandas").DataFrame(self.rows, columns=self.columns)

    def to_arrow(self) -> Any:
        """Returns a pyarrow.Table; pyarrow has to be installed."""
        return import_module("pyarrow").table({column: [row.get(column) for row in self.rows] for column in self.columns})

    def _repr_html_(self) -> str:
        shown = [[str(row.get(column, "")) for column in self.columns] for row in self.rows[:20]]
        lines = ["".join(f"<td>{escape(cell)}</td>" for cell in cells) for cells in shown]
        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        more = f"<p>the first 20 of {len(self.rows)} rows</p>" if len(self.rows) > 20 else ""
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>{more}"


def table(
    snapshot: Snapshot,
    name: Name = "live",
    *,
    at: Optional[str] = None,
    device: Union[None, int, str] = None,
    redact: Optional[Literal["paths", "names", "all"]] = None,
) -> Table:
    """Returns a table of a snapshot, as ``memviz export --format ndjson --table NAME`` writes it.

    >>> memviz_torch.table("mem.pickle", "events").to_pandas()
    >>> memviz_torch.table("mem.pickle", at="peak").to_arrow()       # live memory: who holds it

    name: live (memory at the peak or ``at``; default), keepers, events, segments, blocks, devices, stack_lines, texts or
        event_notes. The whole table is in memory: for millions of events take ``memviz export --format sqlite``.
    """
    options = {"format": "ndjson", "table": name, "at": at, "device": device, "redact": redact}
    answer = ask("export", {"snapshot": snapshot}, options)
    return Table([json.loads(line) for line in answer.text.splitlines()], answer.warnings)

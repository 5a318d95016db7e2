#!/usr/bin/env python3
"""Holds `memviz report` against DeepView.Profile's schema and queries, `memviz stats --json`, and figures of other origin.

usage: report_test.py MEMVIZ SOURCE_FOLDER

Real snapshots, where they are next to the checkout, are looked at as well.
"""

import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from expectations import expect, failures, finish  # noqa: E402

# docs/memory-report.md of DeepView.Profile.
SCHEMA = """
CREATE TABLE weight_entries (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  grad_size_bytes INTEGER NOT NULL
);
CREATE TABLE activation_entries (
  id INTEGER PRIMARY KEY,
  operation_name TEXT NOT NULL,
  size_bytes INTEGER NOT NULL
);
CREATE TABLE entry_types (
  entry_type INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);
CREATE TABLE stack_correlation (
  correlation_id INTEGER PRIMARY KEY,
  entry_id INTEGER NOT NULL,
  entry_type INTEGER NOT NULL,
  UNIQUE (correlation_id, entry_id)
);
CREATE UNIQUE INDEX entry_type_and_id
  ON stack_correlation(entry_type, entry_id);
CREATE TABLE stack_frames (
  correlation_id INTEGER NOT NULL,
  ordering INTEGER NOT NULL,
  file_path TEXT NOT NULL,
  line_number INTEGER NOT NULL,
  PRIMARY KEY (correlation_id, ordering)
);
CREATE TABLE misc_sizes (
  key TEXT PRIMARY KEY,
  size_bytes INT NOT NULL
);
"""
WEIGHT, ACTIVATION = 1, 2


def one_line(text):
    return re.sub(r"\s+", " ", text).strip()


def memviz(*words):
    return subprocess.run([sys.argv[1], *map(str, words), "-q"], capture_output=True, check=True).stdout


def stats_at_peak(file):
    """At the end where nothing says what the peak was."""
    words = ["stats", str(file), "--json", "-"]
    at_peak = subprocess.run([sys.argv[1], *words, "--at", "peak", "-q"], capture_output=True)
    return json.loads(at_peak.stdout if at_peak.returncode == 0 else memviz(*words))["devices"]


class Report:
    def __init__(self, path):
        self.connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def rows(self, query, *values):
        return self.connection.execute(query, values).fetchall()

    def value(self, query, *values):
        return self.rows(query, *values)[0][0]

    def stack_of(self, entry_type, entry_id):
        """As the documentation describes."""
        correlation = self.value(
            "SELECT correlation_id FROM stack_correlation WHERE entry_type = ? AND entry_id = ?", entry_type, entry_id
        )
        return self.rows(
            "SELECT file_path, line_number FROM stack_frames WHERE correlation_id = ? ORDER BY ordering ASC", correlation
        )


def check_schema(report):
    names = [statement.split("(")[0].split()[-1] for statement in SCHEMA.split(";") if "TABLE" in statement]
    statements = [
        one_line(sql)
        for name, sql in report.rows("SELECT tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        if name in names
    ]
    expect("the schema", statements, [one_line(sql) for sql in SCHEMA.split(";") if sql.strip()])
    expect("integrity", report.rows("PRAGMA integrity_check"), [("ok",)])
    expect("entry types", report.rows("SELECT * FROM entry_types ORDER BY 1"), [(1, "weight"), (2, "activation")])


def check_stacks(report):
    """Every entry has its row in stack_correlation, and lines that exist in a file."""
    for entry_type, table in ((WEIGHT, "weight_entries"), (ACTIVATION, "activation_entries")):
        entries = report.rows(f"SELECT id FROM {table} ORDER BY id")
        correlated = report.rows("SELECT entry_id FROM stack_correlation WHERE entry_type = ? ORDER BY 1", entry_type)
        expect(f"entries of {table}", correlated, entries)
        for (entry,) in entries[:20]:
            for path, line in report.stack_of(entry_type, entry):
                if path.startswith("/") or "\\" in path or line < 1:
                    raise AssertionError(f"{path}:{line} is no line within the project")
    gaps = report.value("SELECT count(*) FROM (SELECT max(ordering) + 1 - count(*) AS gap FROM stack_frames"
                        " GROUP BY correlation_id) WHERE gap <> 0")
    expect("stacks with a gap", gaps, 0)


def check_sums(report, devices):
    devices = [device for device in devices if device["device"] != "host"] or devices

    def bytes_of(kind):
        return sum(one["bytes"] for device in devices for one in device.get("kinds", []) if one["kind"] == kind)

    total = "SELECT coalesce(sum(size_bytes), 0) FROM "
    expect("weights", report.value(total + "weight_entries"), bytes_of("parameter"))
    expect("activations", report.value(total + "activation_entries"), bytes_of("activation"))
    facts = dict(report.rows("SELECT * FROM memviz_report"))
    expect("gradients", report.value("SELECT coalesce(sum(grad_size_bytes), 0) FROM weight_entries"),
           int(facts["gradients.paired_bytes"]))
    expect("undecided", int(facts["kind.parameter_or_optimizer_state_bytes"]), bytes_of("parameter_or_optimizer_state"))
    expect("the peak", report.value("SELECT size_bytes FROM misc_sizes WHERE key = 'peak_usage_bytes'"),
           sum(device["peak_requested_bytes"] for device in devices))


def number_of(device):
    return -1 if device["device"] == "host" else device["device"]


def check_recording(report, devices):
    live = dict(report.rows("SELECT device, max(live_bytes) FROM memviz_live_bytes GROUP BY device"))
    top = dict(report.rows("SELECT device, sum(bytes) FROM memviz_top_lines GROUP BY device"))
    for device in devices:
        number = number_of(device)
        expect(f"the peak of live bytes of {number}", live[number], device["peak_requested_bytes"])
        expect(f"what the top lines of {number} hold", top.get(number, 0), device["requested_bytes"])


def check_against_others(report, figures):
    for device in figures:
        number = device["device"]
        for table in ("segments", "blocks", "events"):
            count = report.value(f"SELECT count(*) FROM memviz_{table} WHERE device = ?", number)
            expect(f"{table} of {number}", count, device[table])
        peak = report.value("SELECT max(live_bytes) FROM memviz_live_bytes WHERE device = ?", number)
        expect(f"the peak of {number}", peak, device["peak_requested_bytes"])


def check_file(file, folder, figures=None):
    plain, full, alone = folder / "plain.sqlite", folder / "full.sqlite", folder / "alone.sqlite"
    memviz("report", file, "-o", plain)
    devices = stats_at_peak(file)
    report = Report(plain)
    check_schema(report)
    check_stacks(report)
    check_sums(report, devices)

    memviz("report", file, "-o", full, "--full")
    memviz("export", file, "--format", "sqlite", "-o", alone)
    check_sums(Report(full), devices)
    for path in (full, alone):
        tables = Report(path)
        expect("integrity", tables.rows("PRAGMA integrity_check"), [("ok",)])
        check_recording(tables, devices)
        if figures is not None:
            check_against_others(tables, figures)
    expect("tables of a report in an export", Report(alone).rows("SELECT 1 FROM sqlite_master WHERE name = 'misc_sizes'"), [])


def check_training_step(source, folder):
    """A model whose code is known."""
    file, path = source / "testdata" / "training_step.pickle", folder / "step.sqlite"
    memviz("report", file, "-o", path, "--project-root", "/home/ada/tinyformer")
    report = Report(path)
    names = [name for (name,) in report.rows("SELECT name FROM weight_entries ORDER BY id")]
    expect("the first weights", names[:3],
           ["sparse in __init__ model.py:98", "sparse in __init__ model.py:99", "linear in __init__ model.py:22 #1"])
    expect("weights without a gradient", report.value("SELECT count(*) FROM weight_entries WHERE grad_size_bytes = 0"), 0)
    expect("the stack of the first weight", report.stack_of(WEIGHT, 1), [("model.py", 98), ("train.py", 31), ("train.py", 94)])
    operations = {name for (name,) in report.rows("SELECT operation_name FROM activation_entries")}
    expect("operations", operations >= {"addmm", "gelu", "layer_norm", "softmax", "embedding"}, True)
    again = folder / "again.sqlite"
    memviz("report", file, "-o", again, "--project-root", "/home/ada/tinyformer")
    expect("the bytes of a second run", again.read_bytes() == path.read_bytes(), True)
    written = memviz("report", file, "-o", "-", "--project-root", "/home/ada/tinyformer")
    expect("what goes to standard output", written == path.read_bytes(), True)


def main():
    source = pathlib.Path(sys.argv[2])
    shared = source.parent / "shared"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_training_step(source, folder)
        files = [(file, None) for file in sorted((source / "testdata").glob("*.pickle"))]
        files += [(file, None) for file in sorted((source / "testdata" / "recorded").glob("*.pickle"))]
        for file in sorted((shared / "snapshots").glob("*.pickle")):
            files.append((file, json.loads((shared / "oracle" / f"{file.stem}.json").read_text())))
        if not (shared / "snapshots").exists():
            print("no real snapshots (../shared): they are left out")
            if os.environ.get("MEMVIZ_NEED_SHARED"):
                sys.exit(1)
        for file, figures in files:
            before = len(failures)
            check_file(file, folder, figures)
            failures[before:] = [f"{file.name}: {failure}" for failure in failures[before:]]
    finish(f"{len(files)} files")


if __name__ == "__main__":
    main()

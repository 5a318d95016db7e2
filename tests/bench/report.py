"""Measured runs -> tables in Markdown, which a terminal shows well enough, and JSON."""

import dataclasses
import datetime
import os
import pathlib
import platform
import re
import shutil
import subprocess


def machine():
    cpu = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": cpu.group(1) if cpu else platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "memory_bytes": memory,
        "kernel": platform.release(),
        "load_before": os.getloadavg()[0],
    }


def versions(memviz, source, torch):
    def said(*command):
        if not shutil.which(command[0]):
            return None
        done = subprocess.run(command, capture_output=True, text=True, cwd=source)
        return done.stdout.partition("\n")[0] if done.returncode == 0 else None

    return {
        "memviz": (said(memviz, "--version") or "").removeprefix("memviz ") or None,
        "commit": said("git", "describe", "--always", "--dirty"),
        "compiler": said("c++", "--version"),
        "python": platform.python_version(),
        "torch": torch[0] if torch else None,
    }


def table(header, rows):
    """Returns Markdown; all columns except the first right-aligned and padded, so that it is also readable as plain
    text."""
    widths = [max(len(str(row[i])) for row in [header, *rows]) for i in range(len(header))]

    def line(cells):
        padded = [str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(cells, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * w if i == 0 else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    return "\n".join([line(header), line(rule), *(line(row) for row in rows)])


def seconds(value):
    return f"{value * 1000:.1f} ms" if value < 0.1 else f"{value:.2f} s"


def times(value):
    return f"{value:.2f}x" if value < 10 else f"{value:.0f}x"


def figures(file, results):
    """Returns the table's contents as numbers, for the JSON as well."""
    median = {result.subject.key: result.median_s for result in results}
    return [
        {
            "key": result.subject.key,
            "name": result.subject.name,
            "command": [str(word) for word in result.subject.command if "\n" not in str(word)],
            "median_s": result.median_s,
            "min_s": result.min_s,
            "cpu_s": result.cpu_s,
            "gb_per_s": file["bytes"] / result.median_s / 1e9,
            "to_opcode_pass": result.median_s / median["opcodes"],
            "faster_than_pickle_load": median["pickle"] / result.median_s if "pickle" in median else None,
            "peak_bytes": result.peak_bytes,
            "peak_to_file": result.peak_bytes / file["bytes"],
            "runs": [dataclasses.asdict(run) for run in result.runs],
        }
        for result in results
    ]


def comparison(rows):
    return table(
        ["whole process", "median", "least", "CPU", "GB/s", "bare pass", "pickle.load takes", "peak memory", "of file"],
        [
            [
                row["name"],
                seconds(row["median_s"]),
                seconds(row["min_s"]),
                seconds(row["cpu_s"]),
                f"{row['gb_per_s']:.2f}",
                times(row["to_opcode_pass"]),
                times(row["faster_than_pickle_load"]) if row["faster_than_pickle_load"] else "",
                f"{row['peak_bytes'] / 1e6:.0f} MB",
                f"{row['peak_to_file']:.2f}x",
            ]
            for row in rows
        ],
    )


def judged(what, measured, kind, limit, unit):
    is_reached = measured <= limit if kind == "at most" else measured >= limit
    goal = f"{kind} {limit:g}{unit}"
    return {"what": what, "measured": measured, "unit": unit, "goal": goal, "is_reached": is_reached}


def goals(rows):
    """Returns the ratios that the project aims for, if this run measured both sides."""
    by_key = {row["key"]: row for row in rows}

    def ratio(upper, lower):
        return by_key[upper]["median_s"] / by_key[lower]["median_s"] if {upper, lower} <= by_key.keys() else None

    wanted = [
        ("decode, times the bare pass", ratio("decode1", "opcodes"), "at most", 2),
        ("decode, faster than `pickle.load`", ratio("pickle", "decode1"), "at least", 30),
        ("`flame`, faster than PyTorch's tool", ratio("torch", "flame1"), "at least", 30),
        ("decode, two threads faster than one", ratio("decode1", "decode2"), "at least", 1.7),
        ("peak memory of decode, times the file", by_key["decode1"]["peak_to_file"], "at most", 1),
        ("kinds of memory, times the same without", ratio("kinds", "tree"), "at most", 1.1),
        ("peak memory of `flame`, times the file", by_key["flame1"]["peak_to_file"], "at most", 1),
    ]
    return [judged(what, measured, kind, limit, "x") for what, measured, kind, limit in wanted if measured is not None]


def small_goals(rows):
    flame = next(row for row in rows if row["key"] == "flame1")
    return [judged("whole `flame` process", flame["median_s"] * 1000, "at most", 50, " ms")]


def goals_table(found):
    return table(
        ["goal", "measured", "wanted", ""],
        [
            [g["what"], f"{g['measured']:.2f}{g['unit']}", g["goal"], "reached" if g["is_reached"] else "missed"]
            for g in found
        ],
    )


def linearity(points):
    """Returns CPU time per event at every size, and its ratio to that at the smallest."""
    first = points[0]
    keys = [row["key"] for row in first["figures"]]
    rows = []
    for point in points:
        cells = [f"{point['file']['events'] / 1e6:g} M", f"{point['file']['bytes'] / 1e6:.0f} MB"]
        for i in range(len(keys)):
            each = point["figures"][i]["cpu_s"] / point["file"]["events"]
            base = first["figures"][i]["cpu_s"] / first["file"]["events"]
            cells.append(f"{each * 1e9:.0f} ns ({each / base:.2f}x)")
        rows.append(cells)
    return table(["events", "file", *(row["name"] for row in first["figures"])], rows)


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")

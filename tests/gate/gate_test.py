#!/usr/bin/env python3
"""Holds `memviz baseline` and `memviz compare --fail-over` against recordings, and runs the shell steps of docs/ci.md.

usage: gate_test.py MEMVIZ SOURCE_FOLDER

A baseline has no difference from its own recording, at no limit at all; sixteen recordings of one job, ten of them with
identical work and four with planted growth, are looked at where they are next to the checkout.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from expectations import expect, failures, finish  # noqa: E402

MEMVIZ, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:])
GATE = SOURCE.parent / "shared" / "probes" / "many" / "gate"
IDENTICAL = "same warm64 warm300 order empty eval expand split round gc".split()
NOTHING = "peak=0%,end=0%,reserved=0%,line=0%"


def memviz(*words):
    done = subprocess.run([str(MEMVIZ), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def check_itself(path, base):
    """A recording has not grown since its own baseline; the baseline's lines and rest add up to everything
    requested."""
    code, _, error = memviz("baseline", path, "-q", "-o", base)
    expect(f"baseline of {path.name}: {error}", (code, base.stat().st_size <= 100_000), (0, True))
    for device in json.loads(base.read_text())["devices"]:
        for moment in device["peak"], device["end"]:
            total = sum(line["high"] for line in moment["lines"]) + moment["rest"]["high"]
            expect(f"baseline of {path.name}: lines", total, moment["requested_bytes"])
    for words in (base, path), (path, base), (base, base):
        for more in [], ["--at", "end"]:
            code, text, error = memviz("compare", *words, "-q", "--fail-over", NOTHING, "--json", "-", *more)
            changed = [line["line"] for line in json.loads(text or "{}").get("changes", []) if line["change_bytes"] != 0]
            expect(f"compare {words[0].name} {words[1].name} {more}: {error}", (code, changed), (0, []))


def check_gate(folder):
    """Identical work passes by figures and by lines, from a recording and from its baseline; growth is named."""
    before = GATE / "base.pickle.zst"
    base = folder / "gate.json"
    memviz("baseline", before, "-q", "-o", base)
    grown = {"grow1": "keep_more", "peak1": "scratch", "grow01": "keep_more", "peak05": "scratch"}
    for side in before, base:
        for name in [*IDENTICAL, *grown]:
            after = GATE / f"{name}.pickle.zst"
            by_figure, _, _ = memviz("compare", side, after, "-q", "--fail-over", "1%")
            expect(f"{side.name} to {name}, 1%", by_figure, 3 if name in ("grow1", "peak1") else 0)
            by_line, _, error = memviz("compare", side, after, "-q", "--fail-over", "line=256KiB")
            expect(f"{side.name} to {name}, lines", (by_line, grown.get(name, "") in error), (3 if name in grown else 0, True))
    ranged = folder / "ranged.json"
    memviz("baseline", before, GATE / "peak1.pickle.zst", "-q", "-o", ranged)
    code, _, error = memviz("compare", ranged, GATE / "peak1.pickle.zst", "-q", "--fail-over", NOTHING)
    expect(f"a range has its highest: {error}", code, 0)


STAND_IN = """#!/bin/sh
# `rehearse` leaves an existing recording; everything else is memviz.
if [ "$1" = rehearse ]; then mkdir -p memory && cp "$RECORDED" memory/rehearsal-1.pickle; else exec {memviz} "$@"; fi
"""


def steps_of(page):
    """Yields the shell steps of each workflow in the page that run memviz, then the lines of jq."""
    for block in re.findall(r"```yaml\n(.*?)```", page, re.S):
        yield re.findall(r"^ +- (memviz .*)$", block, re.M)
    yield re.findall(r"^(jq .*)$", page, re.M)


def check_actions():
    """Actions are chosen by commit, which cannot be moved as a tag can, with their version; memviz's own is this one."""
    version = re.search(r"project\(memviz VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
    for name in ("docs/ci.md", "action.yml", *(str(path.relative_to(SOURCE)) for path in (SOURCE / ".github").rglob("*.yml"))):
        for action in re.findall(r"uses: *(.*)", (SOURCE / name).read_text()):
            expect(f"{name}: {action}", bool(re.fullmatch(rf"[\w/-]+@[0-9a-f]{{40}} # v\d+\.\d+\.\d+|OWNER/memviz@COMMIT # v{re.escape(version)}", action)), True)


def check_page(folder):
    page = (SOURCE / "docs" / "ci.md").read_text()
    tools = folder / "tools"
    tools.mkdir()
    (tools / "memviz").write_text(STAND_IN.format(memviz=MEMVIZ))
    (tools / "memviz").chmod(0o755)
    work = folder / "work"
    (work / "ci").mkdir(parents=True)
    data = SOURCE / "testdata"
    memviz("baseline", data / "run_main.pickle", "-q", "-o", work / "ci" / "memory.json")

    def shell(step, recorded):
        surroundings = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "RECORDED": str(data / recorded)}
        done = subprocess.run(["sh", "-e", "-c", step], cwd=work, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode

    _, (record, compare), lines = steps_of(page)
    for recorded, code in ("run_main.pickle", 0), ("run_branch.pickle", 3):
        expect(f"docs/ci.md: {record}", shell(record, recorded), 0)
        expect(f"docs/ci.md: {compare}", shell(compare, recorded), code)
        expect("docs/ci.md: the comment", "Memory: " in (work / "comment.md").read_text(), True)
    if shutil.which("jq") is None:
        return
    for line in lines:
        expect(f"docs/ci.md: {line}", shell(line, ""), 0)
    device = json.loads((work / "compare.json").read_text())["devices"][0]
    peak = device["peak_requested_bytes"]["after"]
    expect("docs/ci.md: benchmark", json.loads((work / "benchmark.json").read_text())[0], {"name": "peak of GPU 0", "unit": "bytes", "value": peak})
    expect("docs/ci.md: Bencher", json.loads((work / "bencher.json").read_text())["GPU 0"]["peak"], {"value": peak})


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in sorted((SOURCE / "testdata").glob("*.pickle")):
            check_itself(path, folder / "base.json")
        if GATE.is_dir():
            check_gate(folder)
        elif os.environ.get("MEMVIZ_NEED_SHARED"):
            failures.append(f"{GATE} is missing")
        check_page(folder)
        check_actions()
    finish("all gates are as they should be")


main()

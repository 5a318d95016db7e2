#!/usr/bin/env python3
"""Runs the steps of action.yml with real programs, on the made-up GPU of the tests and its stand-in for torch: one that
fits, one that grows by 2 %, one that runs out of memory, and two ranks.

usage: action_test.py MEMVIZ SOURCE_FOLDER REHEARSAL_FOLDER
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "support"), str(ROOT / "schemas")]
from environment import ENVIRONMENT  # noqa: E402

ENVIRONMENT.enter("yaml")

import yaml  # noqa: E402
from action_steps import Action  # noqa: E402
from expectations import expect, finish  # noqa: E402

MEMVIZ, SOURCE, REHEARSAL = (pathlib.Path(word).resolve() for word in sys.argv[1:])
ACTION = yaml.safe_load((SOURCE / "action.yml").read_text())
OOM_RUN = "mkdir -p memviz/recordings && cp base/*.pickle memviz/recordings/oom-17-20261129-101112.pickle; exit 1"
PROGRAM = "import sys, torch\nkept = torch.allocate(100 << 20)\nmore = torch.allocate(int(sys.argv[1]) << 20)\ntorch.release(kept)\n"
RANKS = "for rank in 0 1; do RANK=$rank WORLD_SIZE=2 python3 train.py {}; done"
# Finds the comment of an earlier run, if GH_ID says so.
GH = '#!/bin/sh\ncase "$*" in *--paginate*) echo "$GH_ID" ;; *) echo "$@" >comment-words ;; esac\nexit "${GH_CODE:-0}"\n'
ENV = {"MEMVIZ_REHEARSAL_DIR": str(REHEARSAL), "PYTHONPATH": str(SOURCE / "rehearsal/tests"), "PYTHONDONTWRITEBYTECODE": "1"}


def made(folder):
    """Makes the checkout of a pull request: the program, the baselines of its base, and the tools that a runner has."""
    tools = folder / "tools"
    tools.mkdir(parents=True)
    (tools / "memviz").symlink_to(MEMVIZ)
    (tools / "gh").write_text(GH)
    (tools / "gh").chmod(0o755)
    (folder / "train.py").write_text(PROGRAM)
    env = {**os.environ, **ENV, "PATH": f"{tools}:{os.environ['PATH']}"}
    steps = [
        "memviz rehearse -q --gpu small -o base -- python3 train.py 50",
        "memviz baseline base/*.pickle -q -o ci/memory.json",
        f"memviz rehearse -q --gpu small -o ranks -- bash -c '{RANKS.format(50)}'",
        "memviz ranks ranks -q --partial ci/memory.ndjson",
    ]
    (folder / "ci").mkdir()
    for step in steps:
        done = subprocess.run(["sh", "-c", step], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        expect(f"{step}: {done.stdout}", done.returncode, 0)
    return {**ENV, "PATH": env["PATH"]}


def run(name, inputs, *, github=None, env=None):
    """Returns the action after its run, its exit code, and the folder."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        surroundings = {"event_name": "pull_request", "event.number": "7", "token": "secret", "repository": "a/b", **(github or {})}
        surroundings["env"] = made(folder) | (env or {})
        action = Action(ACTION, {"options": "--gpu small", "install": "", **inputs}, surroundings, folder)
        code = action.run()
        files = sorted(path.suffix for path in (folder / "memviz").iterdir()) if (folder / "memviz").is_dir() else []
        words = (folder / "comment-words").read_text() if (folder / "comment-words").exists() else ""
        summary = action.summary.read_text() if action.summary.exists() else ""
        expect(f"{name}: the artifact", action.used, ["actions/upload-artifact"])
        return code, action, {"files": files, "comment": words.split()[:3], "summary": summary}


def check(name, inputs, expected, **more):
    code, action, left = run(name, inputs, **more)
    found = (code, *action.outputs().values())
    expect(f"{name}: {action.log}", found, expected)
    return action.log, left


def main():
    _, left = check("fits", {"command": "python3 train.py 50"}, (0, "0", "0"))
    expect("fits: what is kept", left["files"], ["", ".json", ".md", ".svg", ".txt"])
    expect("fits: no comment was asked for", left["comment"], [])
    expect("fits: the summary", "Fits on Small GPU" in left["summary"] and "Memory" in left["summary"], True)

    log, left = check("grows", {"command": "python3 train.py 53", "comment": "true"}, (3, "0", "3"))
    expect("grows: the comment", left["comment"], ["pr", "comment", "7"])
    expect("grows: its line is named", "train.py" in left["summary"], True)
    expect("grows: the reason", "::error::GPU memory grew by more than the limit allows." in log, True)
    _, left = check("grows again", {"command": "python3 train.py 53", "comment": "true"}, (3, "0", "3"), env={"GH_ID": "12"})
    expect("grows again: the earlier comment", left["comment"], ["api", "--method", "PATCH"])
    check("grows within the limit", {"command": "python3 train.py 53", "fail-over": "7%"}, (0, "0", "0"))
    check("a fork may not comment", {"command": "python3 train.py 50", "comment": "true"}, (0, "0", "0"), env={"GH_CODE": "1"})

    log, left = check("runs out", {"command": "python3 train.py 2000", "comment": "true"}, (3, "3", "3"))
    expect("runs out: the reason", "::error::Does not fit on Small GPU (small): it ran out of memory." in log, True)
    expect("runs out: the summary says who held it", "Who held it" in left["summary"], True)
    expect("runs out: the pictures of both recordings", left["files"].count(".svg"), 2)

    inputs = {"baseline": "ci/memory.ndjson"}
    check("two ranks", {**inputs, "command": RANKS.format(50)}, (0, "0", "0"))
    _, left = check("two ranks grow", {**inputs, "command": RANKS.format(60)}, (3, "0", "3"))
    expect("two ranks grow: a row each", all(f"\n     {rank}  " in left["summary"] for rank in (0, 1)), True)
    log, _ = check("two ranks and a baseline of one", {"command": RANKS.format(50)}, (2, "0", "2"))
    expect("two ranks and a baseline of one: what to do", "memviz ranks FOLDER --partial FILE" in log, True)

    check("no baseline yet", {"command": "python3 train.py 50", "baseline": "none.json"}, (0, "0", ""))
    check("another program", {"command": "exit 7"}, (7, "7", "1"))
    check("a pipe", {"command": "exit 5 | cat"}, (5, "5", "1"))
    _, left = check("talks", {"command": "echo '```'; python3 train.py 50"}, (0, "0", "0"))
    expect("talks: the summary has the answer alone", left["summary"].count("```"), 2)
    log, _ = check("a program's own 3", {"command": "exit 3"}, (3, "3", "1"))
    expect(f"a program's own 3 is no lack of memory: {log}", "ran out of memory" in log, False)
    log, _ = check("a run that runs out", {"command": OOM_RUN, "record": "run", "options": "", "baseline": "none.json"}, (1, "1", ""))
    expect(f"a run that runs out: {log}", "::error::The program ran out of GPU memory" in log, True)
    finish("the action does what docs/ci.md says")


main()

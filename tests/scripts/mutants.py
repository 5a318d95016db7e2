#!/usr/bin/env python3
"""Makes small bugs in a copy of the source, and shows which of them no test notices.

    tests/scripts/mutants.py [--count N] [--seed S] [--in FOLDER...] [--slow]

Draws N places (100) of src/, render/ and the wing of rehearsals, or of the folders that are named, by chance: a comparison or a sum with another
operator, a condition that always or never holds, a call that is left out. All are compiled into one build
(build-mutants/), which the environment switches one by one. Each meets the unit tests and then the command
lines of tests/cli/cases that come to it; with --slow also other tests of ctest that come to it. Prints those that live, to
be judged by hand: a test is missing, the code is not needed, or the change is no bug. MUTANT=7 in the environment of the
build's programs and of its tests switches one on. Takes python3-clang-14.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from mutants.rewrite import find_mutants, rewrite  # noqa: E402

FOLDER = ROOT / "build-mutants"
TREE = FOLDER / "tree"
BUILD = TREE / "build"
TARGETS = ["memviz", "memviz_tests"]
SECONDS = 300
# They take nothing that is built but memviz. Not json_schemas_test, which takes minutes for each.
SLOW = ("^(exports|fleet|flops_oracle|gate|leaks_replay|python_.*|ranks_jobs|ranks_jitter|record|attach|report_queries"
        "|shell|action|reads|server_.*|runtime|interrupt|hang_up|worker_end)_test$|^snapshots_written_anew$")  # fmt: skip
# The most that a bug may write into a file of these tests, one of which is in memory.
FILE_BYTES = 4 << 30


def run(*command, **options):
    return subprocess.run(list(map(str, command)), check=True, **options)


def copy_tree():
    """Returns the files that git knows, those of the work tree; unchanged ones keep their time, so that a second run
    builds less."""
    names = run("git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", capture_output=True, text=True).stdout.split("\n")
    names = [name for name in names if name and (ROOT / name).is_file()]
    for name in names:
        target = TREE / name
        if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
    for old in {path for path in TREE.rglob("*") if path.is_file() and BUILD not in path.parents} - {TREE / name for name in names}:
        old.unlink()
    if (ROOT / "../shared").exists() and not (FOLDER / "shared").exists():
        (FOLDER / "shared").symlink_to((ROOT / "../shared").resolve())
    shutil.copy(ROOT / "tests/mutants/listener.cpp", TREE / "tests/support/mutants_listener.cpp")
    os.environ["CCACHE_BASEDIR"] = str(TREE)


def configure():
    """Returns the command that compiles each file, most of them as a part of their folder."""
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG -D_GLIBCXX_ASSERTIONS", "-DMEMVIZ_CAPTURE=OFF"]
    run("cmake", "-G", "Ninja", "-S", TREE, "-B", BUILD, *options, stdout=subprocess.DEVNULL)
    commands = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        parts = re.findall(r'^#include "(/.*)"$', pathlib.Path(entry["file"]).read_text(), re.M) if "/Unity/" in entry["file"] else []
        commands.update({os.path.relpath(file, TREE): entry["command"] for file in parts or [entry["file"]]})
    return commands


def draw(commands, folders, count, chance):
    """Returns `count` mutants that do not overlap, each place as likely as another of its file, each file by its
    length."""
    files = sorted(name for name in commands if name.startswith(tuple(f"{folder}/" for folder in folders)))
    if not files:
        sys.exit(f"no file of the build is in {' or '.join(folders)}")
    weights = [(TREE / name).stat().st_size for name in files]
    wanted = chance.choices(files, weights, k=count)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        names = sorted(set(wanted))
        found = dict(zip(names, pool.map(find_mutants, [TREE / name for name in names], names, [commands[name] for name in names])))
    chosen = []
    for name in wanted:
        free = [mutant for mutant in found[name]
                if not any(mutant.file == other.file and mutant.begin < other.end and other.begin < mutant.end for other in chosen)]  # fmt: skip
        if free:
            chosen.append(chance.choice(free))
    return dict(enumerate(chosen))


def write(mutants):
    for name in {mutant.file for mutant in mutants.values()}:
        rewrite(TREE / name, [(number, mutant) for number, mutant in mutants.items() if mutant.file == name])


def build(mutants):
    """Builds, without the files that then do not compile; returns the mutants that are in the build."""
    write(mutants)
    while True:
        built = subprocess.run(["ninja", "-C", BUILD, "-k", "0", *TARGETS], capture_output=True, text=True)
        if built.returncode == 0:
            return mutants
        failed = {name for name in {mutant.file for mutant in mutants.values()} if re.search(rf"{re.escape(name)}:\d+:\d+: error", built.stdout)}
        if not failed:
            sys.exit("\n".join(line for line in built.stdout.splitlines() if re.search("error|FAILED", line)))
        for name in failed:
            shutil.copy(ROOT / name, TREE / name)
        mutants = {number: mutant for number, mutant in mutants.items() if mutant.file not in failed}


def tests_that_come_to():
    """Returns for each mutant the test files whose tests reach it, from a run without any mutant, which must pass."""
    log = FOLDER / "reached.log"
    log.unlink(missing_ok=True)
    run(BUILD / "tests/memviz_tests", "-m", env={**os.environ, "MUTANT_LOG": str(log)}, cwd=BUILD / "tests", stdout=subprocess.DEVNULL)
    files, test = {}, None
    for line in log.read_text().splitlines():
        if line.startswith("= "):
            test = line[2:]
        elif test:
            files.setdefault(int(line), {}).setdefault(test)
    return {number: list(names) for number, names in files.items()}


def run_cases(cases):
    return [sys.executable, "-B", TREE / "tests/cli/run_cases.py", BUILD / "memviz", TREE, cases]


def cases_that_come_to():
    """Returns for each mutant the case files whose command lines reach it, from a run without any mutant, which must pass."""

    def reached(cases):
        log = FOLDER / f"{cases.stem}.log"
        log.unlink(missing_ok=True)
        done = subprocess.run(list(map(str, run_cases(cases))), env={**os.environ, "MUTANT_LOG": str(log)}, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{done.stdout}\n{cases.name} fails without any mutant")
        return {int(line) for line in log.read_text().splitlines()} if log.exists() else set()

    paths = sorted((TREE / "tests/cli/cases").glob("*.txt"), key=lambda path: path.stat().st_size)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(paths, pool.map(reached, paths)))
    return {number: [path for path in paths if number in found[path]] for number in set().union(*found.values())}


def others_that_come_to():
    """Returns for each mutant the names of ctest's other tests that reach it, the fastest first, from a run without any
    mutant. Those that do not pass on this machine are left out, and named."""
    listed = run("ctest", "--test-dir", BUILD, "-N", "-R", SLOW, capture_output=True, text=True).stdout
    names, found, seconds = re.findall(r"Test +#\d+: (\S+)", listed), {}, {}

    def reached(name):
        log = FOLDER / f"{name}.log"
        log.unlink(missing_ok=True)
        began = time.monotonic()
        done = subprocess.run(ctest(name), env={**os.environ, "MUTANT_LOG": str(log)}, capture_output=True)
        seconds[name] = time.monotonic() - began
        if done.returncode:
            print(f"{name} does not pass without any mutant")
        elif log.exists():
            found[name] = {int(line) for line in log.read_text().splitlines() if line.isdigit()}

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(reached, names))
    order = sorted(found, key=seconds.get)
    return {number: [name for name in order if number in found[name]] for number in set().union(*found.values())}


def ctest(name):
    return ["prlimit", f"--fsize={FILE_BYTES}", "ctest", "--test-dir", BUILD, "--no-tests=error", "-R", f"^{name}$"]


def passes(number, *command, **options):
    try:
        return subprocess.run(list(map(str, command)), env={**os.environ, "MUTANT": str(number)}, timeout=SECONDS,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options).returncode == 0  # fmt: skip
    except subprocess.TimeoutExpired:
        return False


def killer(number, files, cases, others):
    """Returns the name of the kind of tests that notice a mutant; None if none does."""
    # Tests that run the program take longer.
    for part in ("/unit/", "/cli/"):
        names = [f"*{part}{name.split(part)[1]}" for name in files if part in name]
        if names and not passes(number, BUILD / "tests/memviz_tests", "-aa=1", "-sf=" + ",".join(names), cwd=BUILD / "tests"):
            return "unit tests"
    if not all(passes(number, *run_cases(path)) for path in cases):
        return "command lines"
    # Twice, because some of them start programs and wait for them.
    if not all(passes(number, *ctest(name)) or passes(number, *ctest(name)) for name in others):
        return "slow tests"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--in", dest="folders", nargs="+", default=["src", "render", "rehearsal/run", "rehearsal/verdict"])
    parser.add_argument("--slow", action="store_true")
    options = parser.parse_args()

    copy_tree()
    commands = configure()
    mutants = build(draw(commands, options.folders, options.count, random.Random(options.seed)))
    files, cases = tests_that_come_to(), cases_that_come_to()
    others = others_that_come_to() if options.slow else {}
    reached = [[found.get(number, []) for number in mutants] for found in (files, cases, others)]
    killers = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, kind in zip(mutants, pool.map(killer, mutants, *reached)):
            killers[kind] += 1
            if kind is None:
                print(f"lives, MUTANT={number}: {mutants[number]}{'' if number in files else '   (no unit test comes to it)'}"
                      f"{'' if number in cases else '   (no command line)'}"
                      f"{'' if number in others or not options.slow else '   (no slow test)'}"
                      f"   [{killers[None]} of {killers.total()}]", flush=True)  # fmt: skip
    for kind in ("unit tests", "command lines", "slow tests"):
        print(f"{killers[kind]} noticed by {kind}")
    print(f"{killers[None]} of {len(mutants)} live; seed {options.seed}")


if __name__ == "__main__":
    main()

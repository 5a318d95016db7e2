#!/usr/bin/env python3
"""Installs dist/'s wheel, without network, where people would: `./run test-wheel [--here]`

In small systems without a compiler, made by debootstrap, of several ages and with the Python of each; in one that has no
C library and no Python; and on this system as `pip` installs it into a virtual environment, for a user, and into a
folder. --here leaves out all but the last.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "memviz"
# Suites of Debian with their versions: Python 3.9 with glibc 2.31, 3.11 with 2.36, 3.13 with 2.41.
SUITES = ("bullseye", "bookworm", "trixie")
PIP = ("-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index")


def run(*words, **options):
    subprocess.run([str(word) for word in words], check=True, **options)


def say(text):
    print(f"memviz: {text}", flush=True)


def wheel():
    found = sorted((ROOT / "dist").glob("memviz_torch-*_x86_64.whl"), key=os.path.getmtime)
    if not found:
        sys.exit("memviz: no wheel in dist/; `./run wheel` makes it")
    return found[-1]


def try_installed(python, **environment):
    """Out of the source tree, so that nothing of it is imported."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MEMVIZ_PROGRAM")}
    run(python, "-B", HERE / "installed.py", ROOT / "testdata", cwd="/", env={**clean, **environment})


def test_environment(folder):
    say("a virtual environment")
    python = folder / "venv/bin/python"
    run(sys.executable, "-m", "venv", folder / "venv")
    run(python, *PIP, wheel())
    try_installed(python, PATH="/usr/bin:/bin")
    run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "memviz-torch")
    left = [path for path in (folder / "venv").rglob("*memviz*") if not path.is_dir()]
    if left:
        sys.exit(f"memviz: uninstalled, but there are {left}")


def test_user(folder):
    say("pip install --user")
    python = folder / "all/bin/python"
    run(sys.executable, "-m", "venv", "--system-site-packages", folder / "all")
    base = {"PYTHONUSERBASE": str(folder / "user"), "PATH": "/usr/bin:/bin"}
    run(python, *PIP, "--user", wheel(), env={**os.environ, **base}, stderr=subprocess.DEVNULL)
    try_installed(python, **base)


def test_target(folder):
    say("pip install --target, in a folder with a space in its name")
    target = folder / "a folder"
    run(sys.executable, "-m", "venv", folder / "plain")
    run(folder / "plain/bin/python", *PIP, "--target", target, wheel())
    try_installed(folder / "plain/bin/python", PYTHONPATH=str(target), PATH="/usr/bin:/bin")
    return target


def tools():
    """A virtual environment with mypy, JupyterLab and what runs notebooks."""
    folder = CACHE / "wheel-tests"
    requirements = HERE / "requirements.txt"
    installed = folder / requirements.name
    if not installed.is_file() or installed.read_bytes() != requirements.read_bytes():
        say(f"installing mypy and JupyterLab into {folder}")
        run(sys.executable, "-m", "venv", "--clear", folder)
        run(folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements)
        shutil.copy(requirements, installed)
    return folder / "bin/python"


def test_types(python, target):
    say("mypy --strict")
    run(python, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir=/dev/null", ROOT / "python/memviz_torch")
    run(python, "-m", "mypy", "--strict", "--cache-dir=/dev/null", HERE / "typed_example.py",
        env={**os.environ, "MYPYPATH": str(target)})


def test_notebook(python, target):
    say("a notebook")
    run(python, HERE / "notebook.py", ROOT / "testdata", env={**os.environ, "PYTHONPATH": str(target)})


def test_jupyter(python):
    """As installed by pip, with the browser of the browser tests."""
    say("JupyterLab")
    run(python, *PIP, "--force-reinstall", "--no-deps", wheel())
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MEMVIZ_PROGRAM")}
    done = subprocess.run([sys.executable, "-B", HERE / "jupyter_lab.py", python, ROOT / "testdata"], env=clean, check=False)
    run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "memviz-torch")
    if done.returncode not in (0, 77) or (done.returncode and os.environ.get("MEMVIZ_NEED_BROWSER")):
        sys.exit("memviz: JupyterLab does not open snapshots")


def here():
    with tempfile.TemporaryDirectory(prefix="memviz-wheel-") as name:
        folder = pathlib.Path(name)
        test_environment(folder)
        test_user(folder)
        target = test_target(folder)
        python = tools()
        test_types(python, target)
        test_notebook(python, target)
        test_jupyter(python)


def root_of(suite):
    """The folder of a small Debian with Python and nothing to compile with."""
    folder = CACHE / "roots" / suite
    if not folder.is_dir():
        say(f"making a root of {suite} in {folder}")
        unfinished = folder.with_suffix(".part")
        shutil.rmtree(unfinished, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        run("debootstrap", "--variant=minbase", "--include=python3,python3-venv", suite, unfinished,
            stdout=subprocess.DEVNULL)
        unfinished.rename(folder)
    return folder


def put_into(root):
    """A folder in `root` with all that the tests take."""
    place = root / "tmp/wheel-test"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    shutil.copy(wheel(), place)
    shutil.copy(HERE / "installed.py", place)
    shutil.copytree(ROOT / "testdata", place / "testdata")


def test_root(suite):
    root = root_of(suite)
    say(f"{suite}")
    put_into(root)
    script = (
        "set -e; cd /tmp/wheel-test; for tool in cc gcc g++ clang cmake; do ! command -v $tool; done; python3 --version; "
        f"python3 -m venv venv; venv/bin/python {' '.join(PIP)} ./*.whl; venv/bin/python -B installed.py testdata"
    )
    run(HERE / "root.sh", root, "/bin/sh", "-c", script, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"})


def test_bare_root():
    """As on a system with musl and without Python, for which Debian has no packages: the program alone, with Busybox."""
    say("a root without a C library")
    with tempfile.TemporaryDirectory(prefix="memviz-root-") as name:
        root = pathlib.Path(name)
        for folder in ("bin", "proc", "tmp"):
            (root / folder).mkdir()
        shutil.copy("/bin/busybox", root / "bin")
        put_into(root)
        script = (
            "set -e; B=/bin/busybox; cd /tmp/wheel-test; $B unzip -q *.whl; cd memviz_torch-*.data; "
            "$B chmod +x scripts/memviz; P=$PWD/scripts/memviz; T=/tmp/wheel-test/testdata; "
            "$P flame $T/oom.pickle -o /tmp/mem.svg; $B grep -q '</svg>' /tmp/mem.svg; "
            "$P explain $T/oom.pickle | $B grep 'Fragmentation: 28.6 MiB'; "
            "$P compare $T/before.pickle $T/after.pickle -o - 2>/tmp/text | $B grep -q '</svg>'; "
            "export MEMVIZ_REHEARSAL_DIR=$PWD/data/libexec/memviz/rehearsal; "
            "! $P rehearse -- /bin/busybox true 2>/tmp/why; $B grep 'is for systems with the GNU C library' /tmp/why"
        )
        run(HERE / "root.sh", root, "/bin/busybox", "sh", "-c", script)


def test_arm():
    """The program for 64-bit Arm, under an emulator: it answers as this machine's does."""
    found = sorted((ROOT / "dist").glob("memviz_torch-*_aarch64.whl"), key=os.path.getmtime)
    if not found:
        say("no wheel for aarch64 in dist/, so none is tried")
        return
    say("64-bit Arm")
    with tempfile.TemporaryDirectory(prefix="memviz-arm-") as name:
        programs = {}
        for kind, file in (("arm", found[-1]), ("own", wheel())):
            with zipfile.ZipFile(file) as packed:
                script = next(entry for entry in packed.namelist() if entry.endswith("/scripts/memviz"))
                programs[kind] = pathlib.Path(packed.extract(script, pathlib.Path(name) / kind))
            programs[kind].chmod(0o755)
        testdata = ROOT / "testdata"
        for words in (("explain", testdata / "oom.pickle"), ("flame", testdata / "training_step.pickle", "-o", "-"),
                      ("compare", testdata / "before.pickle", testdata / "after.pickle", "-o", "-")):
            answers = [subprocess.run([*emulator, program, *words], capture_output=True, check=True).stdout
                       for emulator, program in (((), programs["own"]), (("qemu-aarch64-static",), programs["arm"]))]
            if answers[0] != answers[1] or not answers[0]:
                sys.exit(f"memviz: {words[0]} answers differently on aarch64")


def test_source():
    """That the source distribution builds, with what this system has."""
    say("the source distribution")
    with tempfile.TemporaryDirectory(prefix="memviz-source-") as name:
        folder = pathlib.Path(name)
        source = max((ROOT / "dist").glob("memviz_torch-*.tar.gz"), key=os.path.getmtime)
        run(sys.executable, "-m", "venv", folder / "venv")
        python = folder / "venv/bin/python"
        run(python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", source)
        try_installed(python, MEMVIZ_TEST_FROM_SOURCE="1")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--here", action="store_true", help="only on this system")
    options = parser.parse_args()
    here()
    if options.here:
        return
    for suite in SUITES:
        test_root(suite)
    test_bare_root()
    test_arm()
    test_source()


if __name__ == "__main__":
    main()

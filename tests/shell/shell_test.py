#!/usr/bin/env python3
"""Completes command lines in bash, zsh and fish, and formats the manual pages.

usage: shell_test.py MEMVIZ

Shells and formatters that are missing are left out, and exit code 77 says so; with MEMVIZ_NEED_BROWSER set they are a
failure.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from expectations import expect, failures  # noqa: E402

MEMVIZ = pathlib.Path(sys.argv[1]).resolve()
os.environ["PATH"] = f"{MEMVIZ.parent}:{os.environ['PATH']}"  # the scripts ask the program
missing = []


def output_of(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True, **more).stdout


def options_in_help(command):
    text = output_of(MEMVIZ, command, "--help=all")
    return {name for name in re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", text, re.M)}


LISTED = output_of(MEMVIZ, "help").partition("Commands\n")[2].partition("\n\n")[0]
COMMANDS = [name for name in re.findall(r"^  (\w+) +\S", LISTED, re.M) if name != "help"]

# A line whose last word is completed, and words that must or must not be offered.
CASES = [
    ("memviz ", {"flame", "compare", "stats", "rehearse", "help"}, {"a.pickle", "--at"}),
    ("memviz fl", {"flame", "flops"}, {"state"}),
    ("memviz help st", {"state", "stats"}, {"flame"}),
    ("memviz flame a.pickle --view ", {"memory", "segments"}, {"pools", "a.pickle"}),
    ("memviz timeline a.pickle --view ", {"active", "segments", "pools"}, {"memory"}),
    ("memviz flame a.pickle --at ", {"peak", "oom", "end", "auto", "event:"}, {"a.pickle"}),
    ("memviz flame a.pickle --at p", {"peak"}, {"oom"}),
    ("memviz compare a.pickle b.pickle --gate ", {"peak", "end", "reserved"}, {"a.pickle"}),
    ("memviz stats --redact ", {"paths", "names", "all"}, {"a.pickle"}),
    ("memviz stats ", {"a.pickle", "b.pickle.gz"}, {"--json"}),
    ("memviz flops ", {"model.pt2"}, set()),
    ("memviz stats --json ", {"notes.txt"}, {"peak"}),
]


def check_offers(shell, complete):
    for line, wanted, unwanted in CASES:
        offers = complete(line)
        expect(f"{shell}: '{line}' lacks", wanted - offers, set())
        expect(f"{shell}: '{line}' has", unwanted & offers, set())


BASH = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_memviz
printf '%s\\n' "${COMPREPLY[@]}"
"""


def check_bash(folder):
    script = folder / "memviz.bash"
    script.write_text(output_of(MEMVIZ, "completion", "bash"))
    subprocess.run(["bash", "-n", script], check=True)

    def complete(line, words=None):
        words = words or line.split(" ")
        return {word.rstrip("/") for word in output_of("bash", "-c", BASH, "bash", script, *words, cwd=folder).splitlines()}

    check_offers("bash", complete)
    for command in COMMANDS:
        expect(f"bash: options of {command}", complete(f"memviz {command} --"), options_in_help(command))
    expect("bash: a list", complete("memviz flame --group device,po"), {"device,pool"})
    expect("bash: after =", complete("", ["memviz", "flame", "--at", "=", "pe"]), {"peak"})
    expect("bash: directly after =", "peak" in complete("", ["memviz", "flame", "--at", "="]), True)
    expect("bash: a name with a space", complete("memviz stats with"), {"with space.pickle"})
    expect("bash: a program behind --", "notes.txt" in complete("memviz rehearse -- notes"), True)


def check_fish(folder):
    script = folder / "memviz.fish"
    script.write_text(output_of(MEMVIZ, "completion", "fish"))

    def complete(line):
        command = f"source {script}; complete -C '{line}'"
        text = output_of("fish", "--no-config", "-c", command, cwd=folder, env={**os.environ, "HOME": str(folder)})
        return {offer.split("\t")[0] for offer in text.splitlines()}

    check_offers("fish", complete)
    for command in COMMANDS:
        offers = {word.rstrip("=") for word in complete(f"memviz {command} --")}
        expect(f"fish: options of {command}", offers, options_in_help(command))
    expect("fish: a list", "device,pool" in complete("memviz flame --group device,po"), True)


class Zsh:
    """An interactive zsh, whose screen is read."""

    def __init__(self, folder):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.environ.update(TERM="xterm", COLUMNS="160", LINES="200", HOME=str(folder), ZDOTDIR=str(folder), PS1="ready> ")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.send(f"fpath=({folder}/functions $fpath); autoload -Uz compinit; compinit -u -d {folder}/dump; stty cols 160 rows 200\n")
        self.send("LISTMAX=10000; setopt no_beep no_prompt_cr; unsetopt auto_menu menu_complete; bindkey '^X?' list-choices\n")
        self.send("zstyle ':completion:*' list-prompt ''; zstyle ':completion:*' verbose no; print loaded-$((40 + 2))\n", "loaded-42")

    def send(self, text, until=None):
        os.write(self.terminal, text.encode())
        found, last = "", time.monotonic()
        while time.monotonic() - last < (0.3 if until is None or until in found else 10):
            if select.select([self.terminal], [], [], 0.05)[0]:
                found += os.read(self.terminal, 65536).decode(errors="replace")
                last = time.monotonic()
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r", "", found)

    def complete(self, line):
        """Returns the list below the line, after which the line is shown again and the rest of the screen's line erased."""
        listed = self.send(line + "\x18?", line.rstrip() + "\x1b[K").partition("\n")[2]
        self.send("\x15")
        return set(listed.removesuffix(line).removesuffix(line.rstrip()).split())

    def end(self):
        os.write(self.terminal, b"\x15exit\n")
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def check_zsh(folder):
    (folder / "functions").mkdir()
    script = folder / "functions" / "_memviz"
    script.write_text(output_of(MEMVIZ, "completion", "zsh"))
    subprocess.run(["zsh", "-n", script], check=True)
    zsh = Zsh(folder)
    check_offers("zsh", zsh.complete)
    for command in COMMANDS:
        # Next to each option is its help, which may name another.
        offers = {word for word in zsh.complete(f"memviz {command} --") if re.fullmatch("--[a-z-]+", word)}
        expect(f"zsh: options of {command}", offers, options_in_help(command))
    expect("zsh: a list", zsh.complete("memviz flame --group device,p"), {"device,pool"})
    zsh.end()


def check_manuals(folder):
    output_of(MEMVIZ, "documents", folder / "share")
    pages = sorted((folder / "share" / "man" / "man1").glob("*.1"))
    expect("manual pages", {page.stem for page in pages}, {"memviz", *(f"memviz-{command}" for command in COMMANDS)})
    for page in pages:
        if shutil.which("mandoc"):
            lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
            expect(f"mandoc {page.name}", lint.stdout + lint.stderr, "")
        if shutil.which("groff"):
            groff = subprocess.run(["groff", "-man", "-ww", "-Tutf8", page], capture_output=True, text=True)
            expect(f"groff {page.name}", groff.stderr, "")
            text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", groff.stdout)
            command = page.stem.removeprefix("memviz-")
            if command in COMMANDS:
                expect(f"{page.name}: options", options_in_help(command) - set(re.findall(r"--[a-z][a-z-]*", text)), set())
                expect(f"{page.name}: an example", f"memviz {command} " in text.partition("EXAMPLES")[2], True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in ("a.pickle", "b.pickle.gz", "with space.pickle", "model.pt2", "notes.txt"):
            (folder / file).write_text("")
        for tool, check in (("bash", check_bash), ("fish", check_fish), ("zsh", check_zsh)):
            if shutil.which(tool):
                check(folder)
            else:
                missing.append(tool)
        check_manuals(folder)
    missing.extend(tool for tool in ("mandoc", "groff") if not shutil.which(tool))
    for failure in failures[:40]:
        print(failure)
    print(f"{len(COMMANDS)} commands, {len(failures)} failures" + (f"; missing: {', '.join(missing)}" if missing else ""))
    if failures or (missing and os.environ.get("MEMVIZ_NEED_BROWSER")):
        return 1
    return 77 if missing else 0


sys.exit(main())

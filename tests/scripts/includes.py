"""Every #include runs the way that docs/how-it-works.md draws: a folder includes only folders that are before it here.

    includes.py SOURCE

The core (cmake/core_sources.cmake) includes no header of POSIX and none of threads. Prints each that does not, and ends
with 1 if there is one.
"""

import pathlib
import re
import subprocess
import sys

# include/memviz is the model that all of them share, but these use no analysis.
OF_MODEL = {
    "src/base": ["format", "version"],
    "src/text": ["format", "frames", "keeper_step", "label", "memory_kind", "memory_map", "moment", "rehearsal", "source_line"],
}
ORDER = """
    src/base src/value src/json src/io src/pickle src/fast_reader src/recording src/text src/redact
    src/analysis/allocator src/analysis/keepers src/analysis/state src/analysis/tree src/analysis/trace src/analysis/replay src/analysis/timeline
    src/analysis/kinds src/analysis/compare src/analysis/report src/analysis/calls src/analysis/steps src/analysis/causes src/analysis/explain src/analysis/ranks
    src/logs src/session src/program src/story src/export src/formats src/answers src/sqlite src/hooks src/attach rehearsal/verdict rehearsal/run
    render/web render/page render/graph render/timeline render/segments render/pictures view/html view/engine
    src/cli/frame rehearsal/cli src/cli/commands src/cli src
""".split()

# The command line is a client of include/memviz and of the options of its questions; besides that it speaks, writes files, and starts programs, which no
# other client does.
OF_COMMANDS = set("""
    src/base src/text src/io src/story src/answers src/hooks src/attach rehearsal/run rehearsal/verdict view/html
    src/cli/frame src/cli/commands src/cli rehearsal/cli
""".split())
OF_CLIENTS = {
    "render": {"src/base", "src/story"},
    **{folder: OF_COMMANDS for folder in ("src/cli/frame", "src/cli/commands", "src/cli", "rehearsal/cli")},
    "src": {"src/cli", "src/cli/frame", "src/io"},
}

OF_SYSTEM = re.compile(
    r"^#include <(thread|mutex|shared_mutex|condition_variable|future|semaphore|stop_token|latch|barrier|filesystem|fstream"
    r"|csignal|(?:unistd|fcntl|pthread|signal|poll|dirent|spawn)\.h|sys/.+)>",
    re.M,
)


def folder_of(source, name):
    """The folder of ORDER that an included name is in; None for the standard library's and for include/memviz."""
    for base in ("src", "render", "view", "rehearsal"):
        if (source / base / name).exists():
            return str(pathlib.Path(base, name).parent)
    return None


def wrong_includes(source):
    for base in ("include/memviz", "src", "render", "view", "rehearsal"):
        for path in sorted((source / base).rglob("*.?pp")):
            folder = str(path.parent.relative_to(source))
            if folder.startswith(("rehearsal/gpu", "rehearsal/tests")):  # not linked with memviz
                continue
            if folder not in ORDER and base != "include/memviz":
                yield f"{folder} has no place in the order of {__file__}"
                continue
            for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
                if is_wrong(base, folder, folder_of(source, name), name):
                    yield f"{path.relative_to(source)} includes {name}"


def is_wrong(base, folder, included, name):
    if folder in OF_MODEL and name.startswith("memviz/"):
        return pathlib.Path(name).stem not in OF_MODEL[folder]
    if included is None or included == folder:
        return False
    if base == "include/memviz":
        return True
    # render/ is a client of the library, as others could be.
    clients = OF_CLIENTS.get("render" if base == "render" and included.startswith("src/") else folder)
    if clients is not None and included not in clients:
        return True
    return ORDER.index(included) > ORDER.index(folder)


def system_headers_in_core(source):
    """Follows the includes of the core's sources."""
    command = ["cmake", "-P", str(source / "cmake/core_sources.cmake")]
    waiting = [pathlib.Path(line) for line in subprocess.check_output(command, text=True).splitlines()]
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        text = path.read_text()
        for header in OF_SYSTEM.findall(text):
            yield f"{path} is of the core and includes <{header}>"
        for name in re.findall(r'^#include "([^"]+)"', text, re.M):
            found = next(source / base / name for base in ("include", "src", "render") if (source / base / name).exists())
            if found not in seen:
                seen.add(found)
                waiting.append(found)


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    wrong = [*wrong_includes(source), *system_headers_in_core(source)]
    print("\n".join(wrong) or "every include runs one way")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Every call runs the way that every #include does: a folder calls only folders that come before it in includes.py, and
each public header is implemented in one folder.

    link_arrows.py BUILD SOURCE

Reads the symbols of the object files of BUILD, which has compile_commands.json. An #include of a public header hides which folder implements it; the
linker knows. Prints each symbol that is called against the arrows and each header that two folders implement, and ends
with 1 if there is one, with 77 where nm is missing.
"""

import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

from includes import ORDER


def folder_of(path, build):
    """Returns the folder of ORDER that an object file belongs to: the folder's unity file, or a single file in it."""
    name = "/".join(path.relative_to(build).parts)
    unity = re.search(r"unity__(.+?)_cxx", name)
    if unity:
        return next((folder for folder in ORDER if folder.replace("/", "_") == unity.group(1)), None)
    single = re.search(r"\.dir/(.+)/[^/]+\.cpp\.o$", name)
    if not single:
        return None
    library = name.partition("CMakeFiles/")[0].strip("/")
    return next((folder for folder in ORDER if folder in (single.group(1), f"{library}/{single.group(1)}")), None)


def symbols_of(path):
    for line in subprocess.check_output(["nm", "-C", path], text=True).splitlines():
        found = re.match(r"^[0-9a-f]*\s+([A-Za-z])\s(.*memviz.*)$", line)
        if found:
            yield found.group(1), found.group(2)


def objects_of(build):
    """Returns the object files of this build; a folder may have older ones."""
    commands = json.loads((build / "compile_commands.json").read_text())
    names = {re.search(r" -o (\S+\.o) ", entry["command"]).group(1) for entry in commands}
    return [build / name for name in sorted(names) if (build / name).exists()]


def read_symbols(build):
    """Returns the folder that defines each symbol, and the symbols that each folder needs."""
    defined, wanted = {}, collections.defaultdict(set)
    for path in objects_of(build):
        folder = folder_of(path, build)
        for letter, symbol in symbols_of(path) if folder else ():
            if letter in "TDBR":
                defined[symbol] = folder
            elif letter == "U":
                wanted[folder].add(symbol)
    if len(set(defined.values())) < len(ORDER) // 2:
        sys.exit(f"{build} has the object files of {len(set(defined.values()))} folders only")
    return defined, wanted


def calls_against_arrows(defined, wanted):
    for folder in ORDER:
        for symbol in sorted(wanted[folder]):
            owner = defined.get(symbol)
            if owner and ORDER.index(owner) > ORDER.index(folder):
                yield f"{folder} calls {owner}: {symbol}"


def headers_of_several(defined, source):
    """By the names of the free functions that a header declares; a name that other headers also declare is
    ambiguous."""
    folders = collections.defaultdict(set)
    for symbol, folder in defined.items():
        found = re.match(r"memviz::(\w+)(?:\[abi:cxx11\])?\(", symbol)
        if found:
            folders[found.group(1)].add(folder)
    declared = {
        path: set(re.findall(r"^\[\[nodiscard\]\] [^;{]*?\b(\w+)\(", path.read_text(), re.M))
        for path in sorted((source / "include/memviz").glob("*.hpp"))
    }
    count = collections.Counter(name for names in declared.values() for name in names)
    for path, names in declared.items():
        rooms = {name: folders[name] for name in names if count[name] == 1 and len(folders[name]) == 1}
        if len(set().union(*rooms.values())) > 1:
            yield f"{path.name} is implemented in several folders: " + ", ".join(f"{name} in {min(rooms[name])}" for name in sorted(rooms))


def main():
    if not shutil.which("nm"):
        print("skipped: no nm")
        return 77
    build, source = map(pathlib.Path, sys.argv[1:])
    defined, wanted = read_symbols(build)
    wrong = [*calls_against_arrows(defined, wanted), *headers_of_several(defined, source)]
    print("\n".join(wrong) or "every call runs one way")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

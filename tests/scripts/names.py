"""Every .cpp leads to the header that it implements: X.cpp, X_part.cpp and kind_X.cpp belong to X.hpp.

    names.py SOURCE

A .cpp of src/, render/, view/ or rehearsal/ includes a header, public or of its own folder, of which its own name is made in one of these
ways (timeline.hpp: timeline_bands.cpp; svg.hpp: flame_svg.cpp), and memviz.hpp includes every public header. Prints each
that does not, and ends with 1 if there is one.
"""

import pathlib
import re
import sys

WITHOUT_HEADER = {
    # Commands, which command.hpp declares.
    *(f"src/cli/commands/{name}.cpp" for name in ("attach", "explain", "flame", "report", "run", "state", "stats", "timeline", "trace", "view")),
    "rehearsal/cli/rehearse.cpp",
    # main.cpp is not included by anything, and exports.cpp is called by a browser.
    "src/main.cpp",
    "view/engine/exports.cpp",
}


def headers_of(source, path):
    """Returns the names of the headers that could be its own, without .hpp."""
    folder = path.parent.relative_to(source)
    for included in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
        included = pathlib.Path(included)
        if included.parts[0] == "memviz" or included.parent in (folder, pathlib.Path(*folder.parts[1:])):
            yield included.stem


def is_of(name, header):
    return name == header or name.startswith(header + "_") or name.endswith("_" + header)


def main():
    source = pathlib.Path(sys.argv[1])
    paths = [path for base in ("src", "render", "view", "rehearsal") for path in sorted((source / base).rglob("*.cpp")) if not re.search("rehearsal/(gpu|tests)/", str(path))]
    lost = [
        str(path.relative_to(source))
        for path in paths
        if str(path.relative_to(source)) not in WITHOUT_HEADER
        and not any(is_of(path.stem, header) for header in headers_of(source, path))
    ]
    for name in lost:
        print(f"{name} includes no header that its name leads to")
    headers = [path.name for path in (source / "include/memviz").glob("*.hpp")]
    whole = re.findall(r'#include "memviz/(.+)"', (source / "include/memviz/memviz.hpp").read_text())
    for name in sorted({*headers} - {*whole, "memviz.hpp"}):
        print(f"include/memviz/{name} is not in memviz.hpp")
        lost.append(name)
    unknown = [name for name in WITHOUT_HEADER if not (source / name).exists()]
    for name in unknown:
        print(f"{name} is listed in {__file__} and does not exist")
    print(f"{len(paths)} files looked at")
    return 1 if lost or unknown or not paths else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The licences of what a wheel carries in addition to memviz: notices.py OUTPUT ZIG

Says of each library that is linked into the program, into the engine of its page, and into the made-up GPU, its version
and its licence, from what Debian's packages and ZIG, the folder of the package ziglang, say themselves.
"""

import pathlib
import re
import subprocess
import sys

DOCUMENTS = pathlib.Path("/usr/share/doc")
COMMON = pathlib.Path("/usr/share/common-licenses")
# Name, Debian's package, licence in short, and where the package's own text is of a hundred other parts: the one
# paragraph that is about this.
LINKED = [
    ("Boost.Program_options", "libboost-program-options-dev", "BSL-1.0", "BSL-1.0"),
    ("bzip2", "libbz2-dev", "bzip2-1.0.6", ""),
    ("{fmt}", "libfmt-dev", "MIT", ""),
    ("GNU C Library", "libc6-dev", "LGPL-2.1-or-later", ""),
    ("libzip", "libzip-dev", "BSD-3-Clause", ""),
    ("liblzma (XZ Utils)", "liblzma-dev", "public domain", ""),
    ("JSON for Modern C++", "nlohmann-json3-dev", "MIT", ""),
    ("pugixml", "libpugixml-dev", "MIT", ""),
    ("RE2", "libre2-dev", "BSD-3-Clause", ""),
    ("SQLite", "libsqlite3-dev", "public domain", ""),
    ("zlib", "zlib1g-dev", "Zlib", ""),
    ("Zstandard", "libzstd-dev", "BSD-3-Clause", ""),
]
OF_ZIG = ("libc++, libc++abi, libunwind", "lib/libcxx/LICENSE.TXT")
HEAD = """\
What this distribution of memviz carries besides memviz itself, whose licence is in the file LICENSE.

The program `memviz` is linked statically with the libraries below. The GNU C Library among them is under the LGPL: the
source of memviz, in its source distribution, and the sources of the libraries, which are Debian's packages of the
versions below, are what it takes to link the program anew with a changed one (`./run wheel`). GCC's own libraries,
libstdc++ and libgcc, are under the GPL 3 with the GCC Runtime Library Exception, which lets programs that GCC compiled
carry them under their own terms.
"""
HEAD_OF_ZIG = """
The made-up GPU (libmemviz_rehearsal.so) is linked statically with LLVM's C++ library, as the package ziglang {version}
has it, and the engine of the page that `memviz view` writes with the same from Debian's package libc++-22-dev-wasm32,
with the runtime of exceptions from ziglang: under the Apache License 2.0 with LLVM Exceptions. The engine is also linked
with wasi-libc, from Debian's package of that name, and with {{fmt}}, JSON for Modern C++, pugixml, RE2, zlib and
Zstandard, whose licences are below.
"""


def output_of(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def version_of(package):
    version = output_of("dpkg-query", "-W", "-f=${Version}", package)
    # The package of its own version is what a package without one depends on.
    depends = output_of("dpkg-query", "-W", "-f=${Depends}", package)
    own = re.match(r"(libboost-program-options[0-9.]+-dev)", depends)
    return version_of(own.group(1)) if own else version


def paragraph_of(text, licence):
    """Of a copyright file, the first paragraph that has the text of this licence."""
    found = re.search(rf"^License: *{re.escape(licence)}\n((?: .*\n)+)", text, re.MULTILINE)
    if not found:
        sys.exit(f"notices.py: no text of {licence}")
    return found.group(0)


def licence_text(package, paragraph):
    folder = DOCUMENTS / package
    if package == "libboost-program-options-dev":
        folder = next(iter(sorted(DOCUMENTS.glob("libboost-program-options1*-dev"))), folder)
    text = (folder / "copyright").read_text(errors="replace")
    return paragraph_of(text, paragraph) if paragraph else text


def main(output, zig):
    text = HEAD + "\n"
    for name, package, short, _ in LINKED:
        text += f"  {name:24} {version_of(package):24} {short}\n"
    text += HEAD_OF_ZIG.format(version=output_of(f"{zig}/zig", "version"))
    sections = [(name, licence_text(package, part)) for name, package, _, part in LINKED]
    name, file = OF_ZIG
    sections.append((name, (pathlib.Path(zig) / file).read_text()))
    sections.append(("wasi-libc", (DOCUMENTS / "wasi-libc/copyright").read_text(errors="replace")))
    sections.append(("LGPL-2.1", (COMMON / "LGPL-2.1").read_text()))
    for name, content in sections:
        text += f"\n{'=' * 100}\n{name}\n{'=' * 100}\n\n{content.strip()}\n"
    pathlib.Path(output).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])

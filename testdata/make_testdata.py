#!/usr/bin/env python3
"""Makes every snapshot of this folder; running it again gives the same bytes.

usage: make_testdata.py [--check]

With --check nothing is written: the files on disk are held against what would be written, and every file must be
named in README.md. Compressed files are compared by what they contain, because their bytes depend on the compressor's
version; damaged ones only have to be there.
"""

import bz2
import gzip
import lzma
import pathlib
import subprocess
import sys

from maker import cases, containers, hostile, looping, quirks, valid, verify

HERE = pathlib.Path(__file__).resolve().parent


def all_files():
    loops, answers_about_loops = looping.files()
    made = valid.files() | quirks.files() | cases.files() | loops
    verify.valid_files(made)
    made["leaks/expected.json"] = answers_about_loops
    packed = containers.files(made)
    bad, answers = hostile.files()
    verify.hostile_files(bad, answers)
    return made | packed | bad


def content(name, raw):
    if name.startswith("hostile/") and name.endswith((".gz", ".zst")):
        return b"damaged on purpose"
    if name.endswith(".gz"):
        return gzip.decompress(raw)
    if name.endswith(".xz"):
        return lzma.decompress(raw)
    if name.endswith(".bz2"):
        return bz2.decompress(raw)
    if name == "containers/nested.zip":
        return b"compressed inside"
    if name.endswith(".zst"):
        return subprocess.run(["zstd", "-q", "-d", "-c"], input=raw, capture_output=True, check=True).stdout
    return raw


def differences(made):
    readme = (HERE / "README.md").read_text()
    for name, raw in made.items():
        path = HERE / name
        if not path.exists():
            yield f"{name} is missing"
        elif raw is not None and content(name, path.read_bytes()) != content(name, raw):
            yield f"{name} is not what this script makes"
        if f"`{pathlib.Path(name).name}`" not in readme:
            yield f"{name} is not in README.md"
    on_disk = {
        str(p.relative_to(HERE))
        for folder in (".", "cases", "containers", "encodings", "hostile", "leaks")
        for p in (HERE / folder).iterdir()
        if p.is_file()
    }
    by_hand = {"README.md", "make_testdata.py", "make_expected.py", "number_vectors.json", "width_vectors.json"}
    for name in sorted(on_disk - set(made) - by_hand - {".gitattributes"}):
        yield f"{name} is made by nobody"


def main():
    made = all_files()
    if sys.argv[1:] == ["--check"]:
        found = list(differences(made))
        print("\n".join(found) or f"{len(made)} files are as this script makes them")
        return 1 if found else 0
    for name, raw in made.items():
        if raw is None:
            print(f"{name}: kept as it is, zstd is not installed")
            continue
        path = HERE / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(raw)
    print(f"{len(made)} files, {sum(len(raw or b'') for raw in made.values()):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())

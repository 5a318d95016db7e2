#!/usr/bin/env python3
"""Compares what PyTorch and packages besides it import from CUDA's libraries with what the made-up GPU has.

    torch_imports.py check LIBRARY FOLDER...   torch/lib folders of installed versions against libmemviz_rehearsal.so
    torch_imports.py check LIBRARY FILE...     the same for torch_imports.txt or package_imports.txt: nothing is installed
    torch_imports.py collect NAME=FOLDER...    writes such a file anew on stdout; a wheel will do for a folder

A name that nothing answers is an error. nm is needed."""
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

# The names of CUDA's libraries; other imports of PyTorch are the C++ library's and its own.
CUDA_NAME = re.compile(
    r"(cu[A-Z]|__cuda|cuda[A-Z]|cublas|cudnn|cufft|cupti|curand|cusolver|cusparse|nccl|nvml|nvrtc|nvshmem|nvtx|nvJit)"
)


def names(arguments, file):
    output = subprocess.run(["nm", "-D", *arguments, file], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in output.splitlines() if line.split()}


def imports(source):
    """Returns the CUDA functions that the libraries in a folder or a wheel import from others."""
    if pathlib.Path(source).is_dir():
        return imports_of_folder(source)
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(source) as wheel:
        wheel.extractall(folder, [name for name in wheel.namelist() if re.search(r"\.so(\.|$)", name)])
        return imports_of_folder(folder)


def imports_of_folder(folder):
    libraries = sorted(file for file in pathlib.Path(folder).rglob("*.so*") if file.is_file())
    taken = set().union(*(names(["--undefined-only"], file) for file in libraries)) if libraries else set()
    given = set().union(*(names(["--defined-only"], file) for file in libraries)) if libraries else set()
    found = {name for name in taken - given if CUDA_NAME.match(name)}
    if not found:
        sys.exit(f"torch_imports.py: {folder}: no library that uses CUDA")
    return found


def read_table(file):
    """Reads {version: names} from torch_imports.txt: one line per name, with the versions that import it, as
    first-last."""
    lines = [line.split() for line in open(file, encoding="utf-8") if line.strip() and not line.startswith("#")]
    versions = lines[0][1:]
    table = {version: set() for version in versions}
    for name, *spans in lines[1:]:
        for span in spans:
            first, last = span.split("-")
            for version in versions[versions.index(first) : versions.index(last) + 1]:
                table[version].add(name)
    return table


def write_table(table):
    versions = list(table)
    print("# Which functions of CUDA's libraries the named versions from PyPI import; made by torch_imports.py.")
    print("versions", *versions)
    for name in sorted(set().union(*table.values())):
        present = [name in table[version] for version in versions]
        spans, begin = [], None
        for index, there in enumerate([*present, False]):
            if there and begin is None:
                begin = index
            elif not there and begin is not None:
                spans.append(f"{versions[begin]}-{versions[index - 1]}")
                begin = None
        print(name, *spans)


def check(library, sources):
    answered = names(["--defined-only"], library)
    bad = 0
    for source in sources:
        table = read_table(source) if pathlib.Path(source).is_file() else {source: imports(source)}
        for version, taken in table.items():
            missing = sorted(taken - answered)
            print(f"{version}: {len(taken)} functions, {len(missing)} of them missing", *missing)
            bad += len(missing)
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) >= 4 and sys.argv[1] == "check":
        sys.exit(check(sys.argv[2], sys.argv[3:]))
    if len(sys.argv) >= 3 and sys.argv[1] == "collect":
        write_table({entry.split("=")[0]: imports(entry.split("=")[1]) for entry in sys.argv[2:]})
        sys.exit(0)
    sys.exit(__doc__)

"""Takes the programs out of archives: `programs.py FOLDER BYTES` writes those of FOLDER's .pt2 files that are no larger next to them."""

import pathlib
import sys
import zipfile


def program_of(archive):
    with zipfile.ZipFile(archive) as entries:
        for name in entries.namelist():
            if name.endswith(("exported_program.json", "/models/model.json")):
                return entries.read(name)
    return b""


folder, most_bytes = pathlib.Path(sys.argv[1]), int(sys.argv[2])
for archive in sorted(folder.glob("*.pt2")):
    program = program_of(archive)
    if 0 < len(program) <= most_bytes:
        archive.with_suffix(".json").write_bytes(program)

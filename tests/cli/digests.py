#!/usr/bin/env python3
"""Prints a digest of all that a command answers, for each of several files.

usage: digests.py WORD... -- FILE...

Runs `memviz WORD...` once for each FILE, which takes the place of the word FILE. An answer is standard output, standard
error, the exit code and the files out.*, without the version and without the scripts and styles of pictures.
"""

import hashlib
import pathlib
import re
import subprocess
import sys

VERSION = subprocess.run(["memviz", "--version"], capture_output=True, check=True).stdout.split()[1]


def answer(words):
    ran = subprocess.run(["memviz", *words], stdin=subprocess.DEVNULL, capture_output=True)
    parts = [ran.stdout, ran.stderr, b"%d" % ran.returncode]
    for path in sorted(pathlib.Path().glob("out.*")):
        parts.append(path.read_bytes())
        path.unlink()
    whole = b"\0".join(parts).replace(VERSION, b"VERSION")
    return re.sub(rb"<(style|script)\b.*?</\1>", b"", whole, flags=re.S)


def main():
    split = sys.argv.index("--")
    words, files = sys.argv[1:split], sys.argv[split + 1 :]
    for file in files:
        digest = hashlib.sha256(answer([file if word == "FILE" else word for word in words])).hexdigest()
        print(digest[:8], file)


main()

#!/usr/bin/env python3
"""Prints where the parts of a picture are: a line for each element with its attributes and its text, without what
scripts and pointers read.

usage: picture_places.py < PICTURE
"""

import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
SILENT = {SVG + name for name in ("style", "script", "defs", "metadata", "title")}


def print_places(element, depth):
    for part in element:
        if part.tag not in SILENT:
            attributes = (f"{name}={value}" for name, value in part.items() if not name.startswith("data-"))
            print(" " * depth + " ".join([part.tag.removeprefix(SVG), *attributes, *(part.text or "").split()]))
            print_places(part, depth + 1)


print_places(ElementTree.fromstring(sys.stdin.read()), 0)

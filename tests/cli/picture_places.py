#!/usr/bin/env python3
"""Prints where the parts of a picture are: a line for each element with its attributes and its text, without what
scripts and pointers read. An element with a single part is on the line of that part.

usage: picture_places.py < PICTURE
"""

import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
SILENT = {SVG + name for name in ("style", "script", "defs", "metadata", "title")}


def words_of(part):
    attributes = (f"{name}={value}" for name, value in part.items() if not name.startswith("data-"))
    return " ".join([part.tag.removeprefix(SVG), *attributes, *(part.text or "").split()])


def print_places(element, depth):
    for part in seen_parts(element):
        line = words_of(part)
        while len(seen_parts(part)) == 1:
            (part,) = seen_parts(part)
            line += " > " + words_of(part)
        print(" " * depth + line)
        print_places(part, depth + 1)


def seen_parts(element):
    return [part for part in element if part.tag not in SILENT]


print_places(ElementTree.fromstring(sys.stdin.read()), 0)
